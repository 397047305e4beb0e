package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

import jobs.kafkatomongo.limits.KafkaToMongoProperties;

/**
 * Documents that MongoDB refuses with a code of which nobody knows whether the document
 * is at fault. One is given up after {@code refusal-tries} and {@code refusal-time},
 * while MongoDB takes others; while it takes none, after ten times that time. Each
 * consumer has suspects of its own.
 */
public class Suspects {

	/** How much longer a document is tried while MongoDB takes no other. */
	private static final int ALONE = 10;

	private final int tries;

	private final Duration time;

	private final LongSupplier taken;

	private final Map<Object, Suspect> suspects = new ConcurrentHashMap<>();

	/** Learns from {@code taken} how many documents MongoDB has taken by now. */
	public Suspects(KafkaToMongoProperties properties, LongSupplier taken) {
		this.tries = properties.refusalTries();
		this.time = properties.refusalTime();
		this.taken = taken;
	}

	/**
	 * Notes that MongoDB has refused a document, and returns whether it is to be given
	 * up. {@code before} is what {@code taken} was before this try. A document refused
	 * together {@code withOthers}, by one answer, is given up only while others are
	 * taken.
	 */
	public boolean isGivenUp(Object id, long before, boolean withOthers) {
		Suspect suspect = this.suspects.merge(id, new Suspect(System.nanoTime(), 1, before),
				(first, _) -> first.again());
		boolean othersAreTaken = this.taken.getAsLong() > suspect.before();
		if (suspect.tries() < this.tries || (withOthers && !othersAreTaken)) {
			return false;
		}
		return System.nanoTime() - suspect.since() >= this.time.toNanos() * (othersAreTaken ? 1 : ALONE);
	}

	/** Forgets all documents but these. */
	public void retain(Collection<?> ids) {
		this.suspects.keySet().retainAll(ids);
	}

	/** A document that was refused, and what MongoDB had taken before that. */
	private record Suspect(long since, int tries, long before) {

		Suspect again() {
			return new Suspect(this.since, this.tries + 1, this.before);
		}

	}

}
