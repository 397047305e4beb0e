package jobs.kafkatomongo.consumption;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The consumers that Kafka refuses: why, and since when. Beginning and end of a refusal
 * are a line in the log each.
 */
class Refusals {

	private static final Logger logger = LoggerFactory.getLogger(Refusals.class);

	/** A consumer that was not refused for so long is admitted again. */
	private static final Duration ADMITTED = Duration.ofSeconds(5);

	/** By the thread of the consumer, or by the name of a group. */
	private final Map<Object, Refusal> refusals = new ConcurrentHashMap<>();

	/** Notes that Kafka refuses a consumer or a group, with the reason in a sentence. */
	void refused(Object who, String reason) {
		Refusal before = this.refusals.get(who);
		Instant since = (before != null) ? before.since() : Instant.now();
		this.refusals.put(who, new Refusal(since, System.nanoTime(), reason));
		if (before == null || !before.reason().equals(reason)) {
			logger.warn("A listener waits: {}", reason);
		}
	}

	/**
	 * Notes that Kafka has not refused a consumer or a group. Unless that is sure, it
	 * means something only after a while.
	 */
	void admitted(Object who, boolean isSure) {
		Refusal refusal = this.refusals.get(who);
		if (refusal != null && (isSure || System.nanoTime() - refusal.last() > ADMITTED.toNanos())) {
			forget(who);
			logger.atInfo().addKeyValue("waitedSince", refusal.since()).log("Kafka admits the listener again");
		}
	}

	/** Forgets a consumer that has ended. */
	void forget(Object who) {
		this.refusals.remove(who);
	}

	/** The refusal that lasts longest. */
	Optional<Refusal> first() {
		return this.refusals.values().stream().min(Comparator.comparing(Refusal::since));
	}

	/**
	 * A consumer that Kafka refuses.
	 *
	 * @param since when it was refused first
	 * @param last when it was refused last, by {@link System#nanoTime()}
	 * @param reason a sentence
	 */
	record Refusal(Instant since, long last, String reason) {

	}

}
