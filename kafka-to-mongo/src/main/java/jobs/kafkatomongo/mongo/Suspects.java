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
 * while MongoDB answers well about others; while it does not, after ten times that time,
 * or never where it refuses all of several documents of a command. Each consumer has
 * suspects of its own.
 */
public class Suspects {

	/**
	 * How much longer a document is tried while MongoDB takes and recognises no other.
	 */
	private static final int ALONE = 10;

	private final int tries;

	private final Duration time;

	private final LongSupplier taken;

	private final Map<Object, Suspect> suspects = new ConcurrentHashMap<>();

	/** Learns from {@code taken} about how many documents MongoDB has answered well. */
	public Suspects(KafkaToMongoProperties properties, LongSupplier taken) {
		this.tries = properties.refusalTries();
		this.time = properties.refusalTime();
		this.taken = taken;
	}

	/**
	 * Notes that MongoDB has refused a document, and returns whether it is to be given
	 * up. {@code before} is what {@code taken} was before this try. Others count as taken
	 * from the start of the try before this one: what was true earlier may be over. A
	 * document that was refused with {@code all} others of its command is given up only
	 * while others are taken.
	 */
	public boolean isGivenUp(Object id, long before, boolean all) {
		Suspect last = this.suspects.get(id);
		Suspect suspect = (last != null) ? last.again(before) : new Suspect(System.nanoTime(), 1, before);
		this.suspects.put(id, suspect);
		boolean othersAreTaken = this.taken.getAsLong() > ((last != null) ? last : suspect).before();
		if (suspect.tries() < this.tries || (all && !othersAreTaken)) {
			return false;
		}
		return System.nanoTime() - suspect.since() >= this.time.toNanos() * (othersAreTaken ? 1 : ALONE);
	}

	/** Forgets all documents but these. */
	public void retain(Collection<?> ids) {
		this.suspects.keySet().retainAll(ids);
	}

	/** A document that was refused, and what MongoDB had taken before its last try. */
	private record Suspect(long since, int tries, long before) {

		Suspect again(long before) {
			return new Suspect(this.since, this.tries + 1, before);
		}

	}

}
