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

	/** Pages in a row without an answer, after which a host is not asked any more. */
	private static final int AWAY = 10;

	private static final long LOOK_MILLIS = 500;

	private final String host;

	private final Frontier frontier;

	private final Deliveries deliveries;

	private final PageVisit visit;

	private int delivering;

	private int silent;

	private long version;

	private @Nullable WaitingPage next;

	HostCrawl(String host, Frontier frontier, Deliveries deliveries, PageVisit visit) {
		this.host = host;
		this.frontier = frontier;
		this.deliveries = deliveries;
		this.visit = visit;
	}

	/** Reads pages until none waits, and the pair has what they had. */
	void untilNothingWaits(BooleanSupplier isStopping) throws InterruptedException {
		while (!isStopping.getAsBoolean()) {
			if (hasNext()) {
				WaitingPage page = this.next;
				this.next = null;
				if (page != null) {
					boolean hasAnswered = this.visit.visit(page, this.silent >= AWAY, this);
					// one page may fail often
					this.silent = hasAnswered ? 0 : this.silent + ((page.state().tries() == 0) ? 1 : 0);
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
	 * The version of what a page has: the time at which it was asked for, and never twice
	 * the same. Only a page of the same host can have another version of its postings.
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

}
