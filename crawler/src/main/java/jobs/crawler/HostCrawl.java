package jobs.crawler;

import java.time.Duration;
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

	/** Pages in a row without an answer, after which a host may be away. */
	private static final int AWAY = 10;

	/** How long it has not answered then, after which it is not asked any more. */
	private static final Duration AWAY_FOR = Duration.ofMinutes(2);

	/** Pages in a row that it can't answer now, after which it is not asked any more. */
	private static final int FAILING = 200;

	private static final long LOOK_MILLIS = 500;

	private final String host;

	private final Frontier frontier;

	private final Deliveries deliveries;

	private final PageVisit visit;

	private int delivering;

	private int silent;

	private long silentSince;

	private int failing;

	private long version;

	private @Nullable WaitingPage next;

	HostCrawl(String host, Frontier frontier, Deliveries deliveries, PageVisit visit) {
		this.host = host;
		this.frontier = frontier;
		this.deliveries = deliveries;
		this.visit = visit;
		this.version = frontier.begun();
	}

	/** Reads pages until none waits, and the pair has what they had. */
	void untilNothingWaits(BooleanSupplier isStopping) throws InterruptedException {
		while (!isStopping.getAsBoolean()) {
			if (hasNext()) {
				WaitingPage page = this.next;
				this.next = null;
				if (page != null) {
					note(page, this.visit.visit(page, isAway(), this));
				}
			}
			else if (!awaitDeliveries()) {
				return;
			}
		}
	}

	/** Whether the host does not answer any more, or can't. */
	private boolean isAway() {
		return this.failing >= FAILING
				|| this.silent >= AWAY && System.nanoTime() - this.silentSince >= AWAY_FOR.toNanos();
	}

	private void note(WaitingPage page, Visited visited) {
		// one page may fail often
		int one = (page.state().tries() == 0) ? 1 : 0;
		if (visited == Visited.SILENT) {
			this.silentSince = (this.silent == 0) ? System.nanoTime() : this.silentSince;
			this.silent += one;
		}
		else {
			this.silent = 0;
		}
		this.failing = (visited == Visited.ANSWERED) ? 0 : this.failing + one;
	}

	/** Whether a page waits, which is in hand then. */
	boolean hasNext() {
		if (this.next == null) {
			this.next = this.frontier.next(this.host).orElse(null);
		}
		return this.next != null;
	}

	/**
	 * The version of what a page has: the time at which it was asked for, never twice the
	 * same, and never before the crawl began, whatever the clock does. Only a page of the
	 * same host can have another version of its postings.
	 * @param askedAt milliseconds since 1970
	 */
	long version(long askedAt) {
		this.version = Math.max(this.version + 1, askedAt);
		return this.version;
	}

	/** Has the documents of a page delivered, and then the page noted. */
	void deliver(List<byte[]> documents, Consumer<Set<Integer>> done) throws InterruptedException {
		synchronized (this) {
			this.delivering++;
		}
		this.deliveries.add(documents, (refused) -> {
			done.accept(refused);
			synchronized (this) {
				this.delivering--;
				notifyAll();
			}
		});
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

		/** It has answered, or was not asked. */
		ANSWERED,
		/** It can't answer now. */
		FAILED,
		/** It has not answered. */
		SILENT

	}

}
