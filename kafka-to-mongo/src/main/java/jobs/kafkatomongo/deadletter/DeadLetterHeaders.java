package jobs.kafkatomongo.deadletter;

/** Names the headers that tell why a record is a dead letter and where it comes from. */
public final class DeadLetterHeaders {

	/** Names the dead letter that a replayed record comes from. */
	public static final String REPLAY_OF = "replay-of";

	/** Begins the names of all headers below. */
	static final String PREFIX = "dlt-";

	static final String REASON = PREFIX + "reason";

	static final String DETAIL = PREFIX + "detail";

	/** A JSON array of JSON Pointers. */
	static final String POINTERS = PREFIX + "pointers";

	static final String MONGODB_CODE = PREFIX + "mongodb-code";

	/** The size of a value that was left out, in bytes. */
	static final String VALUE_LEFT_OUT = PREFIX + "value-left-out";

	/** The size of a key that was left out, in bytes. */
	static final String KEY_LEFT_OUT = PREFIX + "key-left-out";

	static final String TOPIC = PREFIX + "original-topic";

	static final String PARTITION = PREFIX + "original-partition";

	static final String OFFSET = PREFIX + "original-offset";

	static final String TIMESTAMP = PREFIX + "original-timestamp";

	private DeadLetterHeaders() {
	}

}
