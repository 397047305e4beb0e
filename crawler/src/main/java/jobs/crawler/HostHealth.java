package jobs.crawler;

import java.time.Duration;

import jobs.crawler.HostCrawl.Visited;
import org.jspecify.annotations.Nullable;

/**
 * How a host has answered lately, and for how long it has been crawled. It outlasts the
 * threads of the host, of which each new page may start another one.
 */
final class HostHealth {

	/**
	 * Pages in a row without an answer, or with an error, after which it may be away.
	 */
	private static final int AWAY = 10;

	/** How long it has not answered then, after which it is not asked any more. */
	private static final Duration SILENT_FOR = Duration.ofMinutes(2);

	/** How long it could not answer then, after which it is not asked any more. */
	private static final Duration FAILING_FOR = Duration.ofMinutes(30);

	/** Pages in a row that it can't answer now, after which it is not asked any more. */
	private static final int FAILING = 200;

	private final long begun = System.nanoTime();

	private final Duration maxTime;

	private int silent;

	private long silentSince;

	private int failing;

	private long failingSince;

	/** A host that is crawled for so long at most, by this process. */
	HostHealth(Duration maxTime) {
		this.maxTime = maxTime;
	}

	/** Why the host is left alone for this crawl, or {@code null} where it is not. */
	synchronized @Nullable String reasonToLeave() {
		if (isSince(this.begun, this.maxTime)) {
			return "the time of the host is over";
		}
		if (this.silent >= AWAY && isSince(this.silentSince, SILENT_FOR)) {
			return "the host does not answer";
		}
		if (this.failing >= FAILING || this.failing >= AWAY && isSince(this.failingSince, FAILING_FOR)) {
			return "the host answers with errors";
		}
		return null;
	}

	private static boolean isSince(long begin, Duration time) {
		return System.nanoTime() - begin >= time.toNanos();
	}

	/**
	 * Notes what the host has done for a page.
	 * @param isFirst whether the page was tried for the first time: one may fail often
	 */
	synchronized void note(Visited visited, boolean isFirst) {
		int one = isFirst ? 1 : 0;
		switch (visited) {
			case ANSWERED -> {
				this.silent = 0;
				this.failing = 0;
			}
			case FAILED -> {
				this.silent = 0;
				fail(one);
			}
			case SILENT -> {
				this.silentSince = (this.silent == 0) ? System.nanoTime() : this.silentSince;
				this.silent += one;
				fail(one);
			}
			case LEFT -> {
				// nobody has asked it
			}
		}
	}

	private void fail(int one) {
		this.failingSince = (this.failing == 0) ? System.nanoTime() : this.failingSince;
		this.failing += one;
	}

}
