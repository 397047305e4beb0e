package jobs.kafkatomongo.trial;

import java.time.Duration;
import java.util.function.Supplier;

import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import jobs.kafkatomongo.mongo.MongoErrorCodes;

/**
 * Asks MongoDB again while it is without a primary. Each query has a bound of its own, so
 * a trial waits for two minutes at most.
 */
final class Retries {

	private static final int TRIES = 15;

	private static final Duration PAUSE = Duration.ofSeconds(2);

	private Retries() {
	}

	/**
	 * The answer to a query. Throws its last {@link MongoException} where no try
	 * succeeds.
	 */
	static <T> T of(Supplier<T> query) throws InterruptedException {
		for (int attempt = 1;; attempt++) {
			try {
				return query.get();
			}
			catch (MongoException ex) {
				if (attempt == TRIES || !isTransient(ex)) {
					throw ex;
				}
				Thread.sleep(PAUSE);
			}
		}
	}

	private static boolean isTransient(MongoException failure) {
		return MongoErrorCodes.isOutage(failure) && failure.getCode() != MongoErrorCodes.UNAUTHORISED
				&& !(failure instanceof MongoSecurityException);
	}

}
