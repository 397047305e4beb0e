package jobs.kafkatomongo.consumption;

import java.time.Clock;
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

	private final Clock clock;

	/** By the thread of the consumer, or by the name of a group. */
	private final Map<Object, Refusal> refusals = new ConcurrentHashMap<>();

	Refusals(Clock clock) {
		this.clock = clock;
	}

	/** Notes that Kafka refuses a consumer or a group, with the reason in a sentence. */
	void refused(Object who, String reason) {
		Instant now = this.clock.instant();
		Refusal before = this.refusals.get(who);
		this.refusals.put(who, new Refusal((before != null) ? before.since() : now, now, reason));
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
		if (refusal != null && (isSure || refusal.last().plus(ADMITTED).isBefore(this.clock.instant()))) {
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

	/** A consumer that Kafka refuses since the first and until the last time. */
	record Refusal(Instant since, Instant last, String reason) {

	}

}
