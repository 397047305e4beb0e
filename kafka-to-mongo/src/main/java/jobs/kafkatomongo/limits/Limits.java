package jobs.kafkatomongo.limits;

import java.time.Duration;

import jobs.chassis.operations.Bound;

/**
 * The fixed bounds of this service. What a user may want to change is in
 * {@link KafkaToMongoProperties}; what bounds any service is in
 * {@code jobs.chassis.http}.
 */
public final class Limits {

	public static final Bound REQUESTS = Bound.of(400, "requests in service, of some 65 KB each; beyond: 503");

	public static final Bound PLACE_WAIT = Bound.of(Duration.ofSeconds(2),
			"wait for a place among the following; beyond: 503");

	public static final Bound ANSWERS = Bound.of(32, "answers being written, as slowly as clients read");

	public static final Bound ANSWER_BYTES = Bound.of(16 * 1024 * 1024, "bytes of all answers being written");

	public static final Bound DOCUMENTS = Bound.of(4, "single documents being read, of up to some megabytes each");

	public static final Bound PAGES = Bound.of(2, "pages of lists being read, since such a query may take its time");

	public static final Bound PAGE_DOCUMENTS = Bound.of(100, "documents that a page may have; beyond: 400");

	public static final Bound PAGE_CHARACTERS = Bound.of(256 * 1024, "characters of a page, after which it ends early");

	public static final Bound PAGE_BATCH = Bound.of(10, "jobs of a page in memory, since all might not fit");

	public static final Bound DEAD_LETTER_BATCH = Bound.of(5,
			"dead letters of a page in memory; they may be larger than jobs");

	public static final Bound WAITERS = Bound.of(100,
			"requests that wait for a job and ask MongoDB 20 times a second; beyond: no wait");

	public static final Bound CONSOLES = Bound.of(20, "consoles that are open; beyond: 503");

	public static final Bound CONSOLE = Bound.of(Duration.ofSeconds(600),
			"life of a console's connection, then it connects again");

	public static final Bound CORRECTIONS = Bound.of(16, "corrections being read, of up to a megabyte each");

	public static final Bound CORRECTION_TIME = Bound.of(Duration.ofSeconds(10),
			"time for a correction to arrive; beyond: 408");

	public static final Bound REPLAYS = Bound.of(2, "requests that replay, of up to some megabytes each");

	public static final Bound REPLAYS_TOGETHER = Bound.of(10, "dead letters in memory while many are replayed");

	public static final Bound REPLAYS_OF_A_REQUEST = Bound.of(1000,
			"dead letters after which a request for many is answered");

	public static final Bound REPLAYS_TIME = Bound.of(Duration.ofSeconds(5),
			"time after which a request for many is answered");

	public static final Bound REPLAY_ACKNOWLEDGEMENT = Bound.of(Duration.ofSeconds(8),
			"wait for Kafka to acknowledge a replay; beyond: 503");

	public static final Bound REPLAY_HISTORY = Bound.of(100, "replays that a dead letter remembers, the last ones");

	public static final Bound LOCATION = Bound.of(1024, "characters of a path in Location, since a head has 2 KB");

	public static final Bound DEAD_LETTERS_ACKNOWLEDGEMENT = Bound.of(Duration.ofSeconds(30),
			"wait for Kafka to acknowledge the dead letters of a batch");

	public static final Bound DETAIL = Bound.of(1000, "characters of what is said of a dead letter");

	public static final Bound POINTERS = Bound.of(20, "JSON Pointers that a dead letter names");

	public static final Bound POINTERS_SIZE = Bound.of(4000,
			"characters of all these pointers, since names may be of any length");

	public static final Bound KEY = Bound.of(64 * 1024, "bytes of a key that is kept whatever is left out");

	public static final Bound HEADER = Bound.of(8 * 1024, "bytes of one header that says something of a dead letter");

	public static final Bound HEADERS = Bound.of(64 * 1024,
			"bytes of the original's headers that are kept in a document");

	public static final Bound VALUE = Bound.of(8 * 1024 * 1024,
			"bytes of a value that is kept in a document, of which MongoDB takes 16 MiB");

	public static final Bound COUNTED_OPEN = Bound.of(1000, "dead letters that are counted, of the open ones");

	public static final Bound COUNTED = Bound.of(10000, "dead letters that are counted, of a filter");

	public static final Bound QUERY = Bound.of(Duration.ofSeconds(5), "time of a query, until its last document");

	public static final Bound MAJORITY = Bound.of(Duration.ofSeconds(10), "wait for a majority to have a write");

	public static final Bound SELECTION = Bound.of(Duration.ofSeconds(2),
			"wait for a member to write to, and for a free connection");

	public static final Bound SOCKET = Bound.of(Duration.ofSeconds(30),
			"wait for an answer, below max.poll.interval.ms");

	public static final Bound DOCUMENT = Bound.of(16 * 1024 * 1024 - 64 * 1024,
			"bytes of a document, with room for the command");

	public static final Bound COMPARED = Bound.of(10, "stored documents in memory while jobs are compared");

	public static final Bound CURSOR_ID = Bound.of(300,
			"characters of an id in a cursor, which stands in an address of 4 KB");

	public static final Bound TRACES = Bound.of(100, "traces of a batch that are gone on with");

	public static final Bound TRACES_NAMED = Bound.of(5, "traces that a log line names");

	public static final Bound CAUSE = Bound.of(500, "characters of a failure in a log line");

	private Limits() {
	}

}
