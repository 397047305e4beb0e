package jobs.kafkatomongo.deadletter;

/**
 * The names of the headers that tell of a record in the dead-letter topic why and where
 * it comes from.
 */
public final class DeadLetterHeaders {

	/** The header that names the dead letter that a replayed record comes from. */
	public static final String REPLAY_OF = "replay-of";

	/** Starts the names of all headers below. */
	static final String PREFIX = "dlt-";

	static final String REASON = PREFIX + "reason";

	static final String DETAIL = PREFIX + "detail";

	/** A JSON array of JSON Pointers. */
	static final String POINTERS = PREFIX + "pointers";

	static final String MONGODB_CODE = PREFIX + "mongodb-code";

	/** The size of the value that was left out. */
	static final String VALUE_LEFT_OUT = PREFIX + "value-left-out";

	/** The size of the key that was left out. */
	static final String KEY_LEFT_OUT = PREFIX + "key-left-out";

	static final String TOPIC = PREFIX + "original-topic";

	static final String PARTITION = PREFIX + "original-partition";

	static final String OFFSET = PREFIX + "original-offset";

	static final String TIMESTAMP = PREFIX + "original-timestamp";

	private DeadLetterHeaders() {
	}

}
