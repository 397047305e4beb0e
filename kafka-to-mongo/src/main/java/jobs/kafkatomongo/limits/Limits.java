package jobs.kafkatomongo.limits;

import java.time.Duration;

/**
 * The fixed bounds of this service. What a user may want to change is in
 * {@link KafkaToMongoProperties}; what bounds any service is in
 * {@code jobs.chassis.http}.
 */
public final class Limits {

	/** Records of a batch, which is stored and committed together. */
	public static final int BATCH_RECORDS = 4000;

	/** Bytes of a batch after which it ends, whatever its records were compressed to. */
	public static final int BATCH_BYTES = 1024 * 1024;

	/** Bytes of values beyond which threads share a batch. */
	public static final int SHARED_BYTES = 512 * 1024;

	/** Threads that share a large batch. */
	public static final int LANES = 2;

	/**
	 * Bytes of documents, in MongoDB's form, after which a thread inserts them. A value
	 * can become six times as large there.
	 */
	public static final int PART_BYTES = 1024 * 1024;

	/** Requests in service, of some 65 KB each; beyond: 503. */
	public static final int REQUESTS = 400;

	/**
	 * Wait for a place among answers, their bytes, documents, pages, corrections, replays
	 * and discards; beyond: 503.
	 */
	public static final Duration PLACE_WAIT = Duration.ofSeconds(2);

	/** Answers being written, as slowly as clients read. */
	public static final int ANSWERS = 32;

	/** Bytes of all answers being written. */
	public static final int ANSWER_BYTES = 16 * 1024 * 1024;

	/** Single documents being read, of up to some megabytes each. */
	public static final int DOCUMENTS = 4;

	/** Pages of lists being read, since such a query may take its time. */
	public static final int PAGES = 2;

	/** Documents that a page may have; beyond: 400. */
	public static final int PAGE_DOCUMENTS = 100;

	/** Characters of a page, after which it ends early. */
	public static final int PAGE_CHARACTERS = 256 * 1024;

	/** Jobs of a page in memory, since all might not fit. */
	public static final int PAGE_BATCH = 4;

	/** Dead letters of a page in memory; they may be larger than jobs. */
	public static final int DEAD_LETTER_BATCH = 5;

	/**
	 * Requests that wait for a job and ask MongoDB 20 times a second; beyond: no wait.
	 */
	public static final int WAITERS = 100;

	/**
	 * Wait for a job with a dead letter, until it is known whether another record with
	 * its id may wait.
	 */
	public static final Duration SETTLED = Duration.ofSeconds(3);

	/**
	 * Connections to a member of MongoDB. Readers have places for fewer, so that none is
	 * missing where jobs are stored.
	 */
	public static final int CONNECTIONS = 150;

	/** Consoles that are open; beyond: 503. */
	public static final int CONSOLES = 20;

	/** Life of a console's connection, then it connects again. */
	public static final Duration CONSOLE_TIME = Duration.ofSeconds(600);

	/** Samples that the charts of the console show, one every two seconds. */
	public static final int HISTORY_SAMPLES = 450;

	/** Time that the charts of the console show. */
	public static final Duration HISTORY_TIME = Duration.ofSeconds(900);

	/** Corrections being read, of up to a megabyte each. */
	public static final int CORRECTIONS = 16;

	/** Time for a correction to arrive; beyond: 408. */
	public static final Duration CORRECTION_TIME = Duration.ofSeconds(10);

	/** Requests that replay, of up to some megabytes each. */
	public static final int REPLAY_REQUESTS = 2;

	/** Requests that discard dead letters, each with a connection to MongoDB. */
	public static final int DISCARDS = 2;

	/** Dead letters in memory while many are replayed. */
	public static final int REPLAYS_TOGETHER = 10;

	/** Dead letters after which a request for many is answered. */
	public static final int REPLAYS_OF_A_REQUEST = 1000;

	/** Time after which a request for many is answered. */
	public static final Duration REPLAYS_TIME = Duration.ofSeconds(5);

	/** Wait for Kafka to acknowledge a replay; beyond: 503. */
	public static final Duration REPLAY_ACKNOWLEDGEMENT = Duration.ofSeconds(8);

	/** Entries in the history of a dead letter, the last ones. */
	public static final int HISTORY = 100;

	/** Characters of a note in the history of a dead letter; beyond: 400. */
	public static final int NOTE_CHARACTERS = 200;

	/** Characters of a name in the history of a dead letter; the rest is cut off. */
	public static final int NAME_CHARACTERS = 255;

	/** Characters of a path in Location, since a head has 2 KB. */
	public static final int LOCATION_CHARACTERS = 1024;

	/** Wait for Kafka to acknowledge the dead letters of a batch. */
	public static final Duration DEAD_LETTERS_ACKNOWLEDGEMENT = Duration.ofSeconds(30);

	/** Characters of what is said of a dead letter. */
	public static final int DETAIL_CHARACTERS = 1000;

	/** JSON Pointers that a dead letter names. */
	public static final int POINTERS = 20;

	/**
	 * Bytes of all pointers that a dead letter names, since names may be of any length.
	 */
	public static final int POINTERS_BYTES = 4000;

	/** Bytes of a key that is kept whatever is left out. */
	public static final int KEY_BYTES = 64 * 1024;

	/** Bytes of one header that says something of a dead letter. */
	public static final int HEADER_BYTES = 8 * 1024;

	/** Bytes of the original's headers that are kept in a document. */
	public static final int HEADERS_BYTES = 64 * 1024;

	/** Bytes of a value that is kept in a document, of which MongoDB takes 16 MiB. */
	public static final int VALUE_BYTES = 8 * 1024 * 1024;

	/** Dead letters that are counted, of the open ones. */
	public static final int COUNTED_OPEN = 1000;

	/** Dead letters that are counted, of a filter. */
	public static final int COUNTED = 10000;

	/** Time of a query, until its last document. */
	public static final Duration QUERY_TIME = Duration.ofSeconds(5);

	/** Wait for a majority to have a write. */
	public static final Duration MAJORITY_WAIT = Duration.ofSeconds(10);

	/** Wait for a member to write to, and for a free connection. */
	public static final Duration SELECTION_WAIT = Duration.ofSeconds(2);

	/** Wait for an answer, below max.poll.interval.ms. */
	public static final Duration SOCKET_WAIT = Duration.ofSeconds(30);

	/** Bytes of a document, with room for the command. */
	public static final int DOCUMENT_BYTES = 16 * 1024 * 1024 - 64 * 1024;

	/**
	 * Documents of a batch refused alone, after which no more are tried while MongoDB
	 * takes and recognises none.
	 */
	public static final int REFUSED_ALONE = 20;

	/** Stored documents in memory while jobs are compared. */
	public static final int COMPARED = 10;

	/** Characters of an id in a cursor, which stands in an address of 4 KB. */
	public static final int CURSOR_ID_CHARACTERS = 300;

	/** Traces of a batch that are gone on with. */
	public static final int TRACES = 100;

	/** Traces that a log line names. */
	public static final int TRACES_NAMED = 5;

	/** Characters of a failure in a log line. */
	public static final int CAUSE_CHARACTERS = 500;

	private Limits() {
	}

}
