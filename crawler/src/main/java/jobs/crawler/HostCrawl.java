package jobs.crawler;

import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import jobs.crawler.frontier.Frontier;
import jobs.crawler.frontier.WaitingPage;
import jobs.crawler.pair.Deliveries;
import org.jspecify.annotations.Nullable;

/**
 * The pages of one host, one after the other.
 */
final class HostCrawl {

	private static final long LOOK_MILLIS = 500;

	private final String host;

	private final Frontier frontier;

	private final Deliveries deliveries;

	private final PageVisit visit;

	private final HostHealth health;

	private int delivering;

	private long version;

	private @Nullable WaitingPage next;

	HostCrawl(String host, Frontier frontier, Deliveries deliveries, PageVisit visit, HostHealth health) {
		this.host = host;
		this.frontier = frontier;
		this.deliveries = deliveries;
		this.visit = visit;
		this.health = health;
		this.version = frontier.lastVersion();
	}

	/** Reads pages until none waits, and the pair has what they had. */
	void untilNothingWaits(BooleanSupplier isStopping) throws InterruptedException {
		while (!isStopping.getAsBoolean()) {
			if (hasNext()) {
				WaitingPage page = this.next;
				this.next = null;
				if (page != null) {
					this.health.note(this.visit.visit(page, this.health.reasonToLeave(), this),
							page.state().tries() == 0);
				}
			}
			else if (!awaitDeliveries()) {
				return;
			}
		}
	}

	/** Whether a page waits, which is in hand then. */
	boolean hasNext() {
		if (this.next == null) {
			this.next = this.frontier.next(this.host).orElse(null);
		}
		return this.next != null;
	}

	/**
	 * The version of what a page has: the time at which it was asked for, but always
	 * after the versions of this host so far and of earlier crawls, whatever the clock
	 * does. Only a page of the same host can have another version of its postings.
	 * @param askedAt milliseconds since 1970
	 */
	long version(long askedAt) {
		this.version = Math.max(this.version + 1, askedAt);
		this.frontier.noteVersion(this.version);
		return this.version;
	}

	/** Has the documents of a page delivered, and then the page noted. */
	void deliver(List<byte[]> documents, Consumer<Set<Integer>> done) throws InterruptedException {
		synchronized (this) {
			this.delivering++;
		}
		try {
			this.deliveries.add(documents, (refused) -> {
				done.accept(refused);
				delivered();
			});
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			delivered();
			throw ex;
		}
	}

	private synchronized void delivered() {
		this.delivering--;
		notifyAll();
	}

	/**
	 * Waits where pages are under way to the pair, which may have to be read once more.
	 */
	private synchronized boolean awaitDeliveries() throws InterruptedException {
		if (this.delivering == 0) {
			return false;
		}
		wait(LOOK_MILLIS);
		return true;
	}

	/** What a host has done for a page. */
	enum Visited {

		/** It has answered. */
		ANSWERED,
		/** It can't answer now. */
		FAILED,
		/** It has not answered. */
		SILENT,
		/** It was not asked. */
		LEFT

	}

}
