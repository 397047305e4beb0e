package jobs.kafkatomongo.query;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.limits.KafkaToMongoProperties;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.operations.Backlog;

import org.springframework.stereotype.Component;

/** Waits for jobs that are not stored yet, as {@code Prefer: wait} asks (RFC 7240). */
@Component
class JobWait {

	private static final Pattern PREFERENCE = Pattern
		.compile("(?:^|[,;]\\s*)wait\\s*=\\s*(\\d{1,9})(?=\\s*(?:[,;]|$))");

	private static final Duration POLL = Duration.ofMillis(50);

	/** One in this many looks for a job also looks for its dead letter. */
	private static final int HOPE = 10;

	/** A client is expected to ask for a job within this time after sending it. */
	private static final Duration RECENTLY = Duration.ofSeconds(10);

	private final Semaphore places = new Semaphore(Limits.WAITERS);

	private final StoredJobs jobs;

	private final DeadLetterCollection deadLetters;

	private final Backlog backlog;

	private final Duration maxWait;

	JobWait(StoredJobs jobs, DeadLetterCollection deadLetters, Backlog backlog, KafkaToMongoProperties properties) {
		this.jobs = jobs;
		this.deadLetters = deadLetters;
		this.backlog = backlog;
		this.maxWait = properties.maxWait();
	}

	/** The wait that a header {@code Prefer} is granted, at most {@code max-wait}. */
	Duration granted(String prefer) {
		Matcher wait = PREFERENCE.matcher(prefer);
		Duration asked = wait.find() ? Duration.ofSeconds(Long.parseLong(wait.group(1))) : Duration.ZERO;
		return (asked.compareTo(this.maxWait) < 0) ? asked : this.maxWait;
	}

	/**
	 * Waits for a job, for {@code limit} at most, and returns whether it is stored or a
	 * dead letter by then. With too many waiting requests it does not look nor wait.
	 * Throws InterruptedException when this service stops.
	 */
	boolean await(String id, Duration limit) throws InterruptedException {
		Instant asked = Instant.now();
		boolean stored = false;
		// a look takes one of the connections that jobs are stored with
		if (this.places.tryAcquire()) {
			try {
				stored = this.jobs.isStored(id);
				long start = System.nanoTime();
				for (int i = 0; !stored && System.nanoTime() - start < limit.toNanos(); i++) {
					if (i % HOPE == 0 && isHopeless(id, asked)) {
						return true;
					}
					Thread.sleep(POLL);
					stored = this.jobs.isStored(id);
				}
			}
			finally {
				this.places.release();
			}
		}
		return stored;
	}

	/**
	 * Whether a job's dead letter is final. A recent one is. An older one is final only
	 * while no waiting record can be another job with the same id.
	 */
	private boolean isHopeless(String id, Instant asked) {
		Backlog.Snapshot backlog = this.backlog.snapshot();
		boolean nothingWaits = backlog.at().isAfter(asked) && backlog.waiting() == 0;
		return this.deadLetters.hasEnded(id, nothingWaits ? Instant.EPOCH : asked.minus(RECENTLY));
	}

}
