package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a document is given up that MongoDB refuses with a code of neither list:
 * the document may be at fault, or MongoDB may be in a state of which nobody knows the
 * code.
 * <p>
 * A document at fault shows when MongoDB has created another one since it refused this
 * one: it is given up after {@code refusal-tries} and {@code refusal-time}. Without that
 * proof a document is given up after ten times that time, if MongoDB at least recognises
 * what is stored, and then one document at a time. So such a state costs one good
 * document in that time. In an empty collection nothing can be recognised, so there a
 * document waits until another one is stored. Each consumer has candidates of its own.
 */
public final class PoisonCandidates {

	/** How much longer a document is tried for which there is no proof. */
	private static final int UNPROVEN = 10;

	private final int tries;

	private final Duration time;

	private final Creations creations;

	private final Map<Object, Candidate> candidates = new HashMap<>();

	/**
	 * Begins without candidates, with the creations of the collection.
	 */
	public PoisonCandidates(KafkaToMongoProperties properties, Creations creations) {
		this.tries = properties.refusalTries();
		this.time = properties.refusalTime();
		this.creations = creations;
	}

	/**
	 * Notes what MongoDB refused, and returns what is given up. {@code recognises} is
	 * asked whether MongoDB recognises a stored document.
	 */
	public <T> List<Refusal<T>> givenUp(List<Refusal<T>> refusals, Function<T, Object> id, BooleanSupplier recognises) {
		long now = System.nanoTime();
		List<Refusal<T>> givenUp = new ArrayList<>();
		Refusal<T> firstDue = null;
		for (Refusal<T> refusal : refusals) {
			Candidate candidate = this.candidates.compute(id.apply(refusal.document()),
					(any, last) -> next(last, refusal, now));
			if (candidate.isGivenUp()) {
				givenUp.add(refusal);
			}
			else if (firstDue == null && isDue(candidate, now, UNPROVEN)) {
				firstDue = refusal;
			}
		}
		if (firstDue != null && recognises.getAsBoolean()) {
			givenUp.add(firstDue);
			this.candidates.computeIfPresent(id.apply(firstDue.document()), (any, candidate) -> candidate.givenUp());
			this.candidates.replaceAll((any, candidate) -> candidate.isGivenUp() ? candidate : candidate.since(now));
		}
		return givenUp;
	}

	/** Forgets all documents but these, at the end of a try. */
	public void retain(Collection<?> ids) {
		this.candidates.keySet().retainAll(ids);
	}

	private <T> Candidate next(@Nullable Candidate last, Refusal<T> refusal, long now) {
		boolean isProven = this.creations.areAfter(refusal.at());
		if (last == null) {
			return decided(new Candidate(now, 1, refusal.code(), refusal.at(), isProven, false), now);
		}
		boolean isSame = last.code() == refusal.code();
		isProven |= isSame && (last.isProven() || this.creations.areAfter(last.at()));
		return decided(new Candidate(last.since(), last.tries() + 1, refusal.code(), refusal.at(), isProven,
				isSame && last.isGivenUp()), now);
	}

	private Candidate decided(Candidate candidate, long now) {
		return (candidate.isProven() && isDue(candidate, now, 1)) ? candidate.givenUp() : candidate;
	}

	private boolean isDue(Candidate candidate, long now, int times) {
		return candidate.tries() >= this.tries && now - candidate.since() >= this.time.multipliedBy(times).toNanos();
	}

	/**
	 * A document that was refused.
	 *
	 * @param since when it was refused first
	 * @param tries how often it was refused
	 * @param code with which code at last
	 * @param at the moment of its last refusal among the creations
	 * @param isProven whether MongoDB created another document after it refused this one
	 * with this code
	 * @param isGivenUp whether it is not waited for any more
	 */
	private record Candidate(long since, int tries, int code, long at, boolean isProven, boolean isGivenUp) {

		Candidate since(long now) {
			return new Candidate(now, this.tries, this.code, this.at, this.isProven, this.isGivenUp);
		}

		Candidate givenUp() {
			return new Candidate(this.since, this.tries, this.code, this.at, this.isProven, true);
		}

	}

	/**
	 * The order in which commands on a collection begin, and the last one of them that
	 * has created a document. A command that has begun before a document was refused
	 * proves nothing about that document, whenever its answer comes.
	 */
	public static final class Creations {

		private final AtomicLong begun = new AtomicLong();

		private final AtomicLong lastCreating = new AtomicLong();

		/** Begins a command, and returns its number; the first one has 1. */
		long begin() {
			return this.begun.incrementAndGet();
		}

		/** The number of the command that began last. */
		long now() {
			return this.begun.get();
		}

		/** Notes that a command has created a document. */
		void created(long command) {
			this.lastCreating.accumulateAndGet(command, Math::max);
		}

		/** Whether a command that began after another one has created a document. */
		boolean areAfter(long command) {
			return this.lastCreating.get() > command;
		}

	}

}
