package jobs.kafkatomongo.figures;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import com.mongodb.MongoException;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * How many dead letters are open. MongoDB is asked once for all consoles, while one is
 * open, and no console waits for its answer.
 */
@Component
class OpenDeadLetters {

	private static final Duration REFRESH = Duration.ofSeconds(2);

	/** After this time an answer is no answer any more. */
	private static final Duration RECENT = Duration.ofSeconds(15);

	private final DeadLetterCollection deadLetters;

	private final AtomicBoolean asking = new AtomicBoolean();

	private volatile @Nullable Answer latest;

	OpenDeadLetters(DeadLetterCollection deadLetters) {
		this.deadLetters = deadLetters;
	}

	/** The latest answer, or {@code null} where there is none of the last seconds. */
	@Nullable Long count() {
		Answer latest = this.latest;
		if ((latest == null || latest.isOlderThan(REFRESH)) && this.asking.compareAndSet(false, true)) {
			Thread.startVirtualThread(this::ask);
		}
		return (latest != null && !latest.isOlderThan(RECENT)) ? latest.open() : null;
	}

	private void ask() {
		try {
			this.latest = new Answer(this.deadLetters.countOpen(), System.nanoTime());
		}
		catch (MongoException ex) {
			this.latest = new Answer(null, System.nanoTime());
		}
		finally {
			this.asking.set(false);
		}
	}

	/** An answer of MongoDB; {@code open} is {@code null} where it said nothing. */
	private record Answer(@Nullable Long open, long at) {

		boolean isOlderThan(Duration age) {
			return System.nanoTime() - this.at > age.toNanos();
		}

	}

}
