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

/**
 * Waits for jobs that are not stored yet, as clients prefer (RFC 7240).
 */
@Component
class JobWait {

	private static final Pattern PREFERENCE = Pattern
		.compile("(?:^|[,;]\\s*)wait\\s*=\\s*(\\d{1,9})(?=\\s*(?:[,;]|$))");

	private static final Duration POLL = Duration.ofMillis(50);

	/** Looks after a job for one whether it is hopeless. */
	private static final int HOPE = 10;

	/** The time between sending a job and asking for it. */
	private static final Duration RECENTLY = Duration.ofSeconds(10);

	private final Semaphore places = new Semaphore(Limits.WAITERS.count());

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

	/**
	 * The wait that a header {@code Prefer} asks for and that is granted.
	 */
	Duration granted(String prefer) {
		Matcher wait = PREFERENCE.matcher(prefer);
		Duration asked = wait.find() ? Duration.ofSeconds(Long.parseLong(wait.group(1))) : Duration.ZERO;
		return (asked.compareTo(this.maxWait) < 0) ? asked : this.maxWait;
	}

	/**
	 * Waits for a job while it is not stored. Where too many wait already, it does not.
	 * @param id the job's id
	 * @param limit the longest wait
	 * @return whether it is known by then what became of the job
	 * @throws InterruptedException when this service stops
	 */
	boolean await(String id, Duration limit) throws InterruptedException {
		Instant asked = Instant.now();
		boolean stored = this.jobs.isStored(id);
		if (!stored && this.places.tryAcquire()) {
			try {
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
	 * Whether a job is a dead letter for good: a recent one, or any, once nothing waits
	 * that may be another job with its id.
	 */
	private boolean isHopeless(String id, Instant asked) {
		Backlog.Snapshot backlog = this.backlog.snapshot();
		boolean nothingWaits = backlog.at().isAfter(asked) && backlog.waiting() == 0;
		return this.deadLetters.hasEnded(id, nothingWaits ? Instant.EPOCH : asked.minus(RECENTLY));
	}

}
