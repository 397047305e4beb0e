package jobs.kafkatomongo.limits;

import java.time.Duration;

/**
 * The fixed bounds of this service. What a user may want to change is in
 * {@link KafkaToMongoProperties}; what bounds any service is in
 * {@code jobs.chassis.http}.
 */
public enum Limits {

	// requests
	REQUESTS(400, "requests in service, of some 65 KB each; beyond: 503"),
	PLACE_WAIT(Duration.ofSeconds(2), "wait for a place among the following; beyond: 503"),
	ANSWERS(32, "answers being written, as slowly as clients read"),
	ANSWER_BYTES(16 * 1024 * 1024, "bytes of all answers being written"),
	DOCUMENTS(4, "single documents being read, of up to some megabytes each"),
	PAGES(2, "pages of lists being read, since such a query may take its time"),
	PAGE_DOCUMENTS(100, "documents that a page may have; beyond: 400"),
	PAGE_CHARACTERS(256 * 1024, "characters of a page, after which it ends early"),
	PAGE_BATCH(10, "jobs of a page in memory, since all might not fit"),
	DEAD_LETTER_BATCH(5, "dead letters of a page in memory; they may be larger than jobs"),
	WAITERS(100, "requests that wait for a job and ask MongoDB 20 times a second; beyond: no wait"),
	CONSOLES(20, "consoles that are open; beyond: 503"),
	CONSOLE(Duration.ofSeconds(600), "life of a console's connection, then it connects again"),
	// replays
	CORRECTIONS(16, "corrections being read, of up to a megabyte each"),
	CORRECTION_TIME(Duration.ofSeconds(10), "time for a correction to arrive; beyond: 408"),
	REPLAYS(2, "requests that replay, of up to some megabytes each"),
	REPLAYS_TOGETHER(10, "dead letters in memory while many are replayed"),
	REPLAYS_OF_A_REQUEST(1000, "dead letters after which a request for many is answered"),
	REPLAYS_TIME(Duration.ofSeconds(5), "time after which a request for many is answered"),
	REPLAY_ACKNOWLEDGEMENT(Duration.ofSeconds(8), "wait for Kafka to acknowledge a replay; beyond: 503"),
	REPLAY_HISTORY(100, "replays that a dead letter remembers, the last ones"),
	LOCATION(1024, "characters of a path in Location, since a head has 2 KB"),
	// dead letters
	DEAD_LETTERS_ACKNOWLEDGEMENT(Duration.ofSeconds(30), "wait for Kafka to acknowledge the dead letters of a batch"),
	DETAIL(1000, "characters of what is said of a dead letter"), POINTERS(20, "JSON Pointers that a dead letter names"),
	POINTERS_SIZE(4000, "characters of all these pointers, since names may be of any length"),
	KEY(64 * 1024, "bytes of a key that is kept whatever is left out"),
	HEADER(8 * 1024, "bytes of one header that says something of a dead letter"),
	HEADERS(64 * 1024, "bytes of the original's headers that are kept in a document"),
	VALUE(8 * 1024 * 1024, "bytes of a value that is kept in a document, of which MongoDB takes 16 MiB"),
	COUNTED_OPEN(1000, "dead letters that are counted, of the open ones"),
	COUNTED(10000, "dead letters that are counted, of a filter"),
	// MongoDB
	QUERY(Duration.ofSeconds(5), "time of a query, until its last document"),
	MAJORITY(Duration.ofSeconds(10), "wait for a majority to have a write"),
	SELECTION(Duration.ofSeconds(2), "wait for a member to write to, and for a free connection"),
	SOCKET(Duration.ofSeconds(30), "wait for an answer, below max.poll.interval.ms"),
	DOCUMENT(16 * 1024 * 1024 - 64 * 1024, "bytes of a document, with room for the command"),
	COMPARED(10, "stored documents in memory while jobs are compared"),
	CURSOR_ID(300, "characters of an id in a cursor, which stands in an address of 4 KB"),
	// traces and logs
	TRACES(100, "traces of a batch that are gone on with"), TRACES_NAMED(5, "traces that a log line names"),
	CAUSE(500, "characters of a failure in a log line");

	private final long value;

	private final String meaning;

	Limits(long count, String meaning) {
		this.value = count;
		this.meaning = meaning;
	}

	Limits(Duration time, String meaning) {
		this(time.toMillis(), meaning);
	}

	/**
	 * The bound, where it is a number of things.
	 */
	public int count() {
		return Math.toIntExact(this.value);
	}

	/**
	 * The bound, where it is a time.
	 */
	public Duration time() {
		return Duration.ofMillis(this.value);
	}

	/**
	 * What is bounded, in which unit and why, and what happens beyond.
	 */
	public String meaning() {
		return this.meaning;
	}

}
