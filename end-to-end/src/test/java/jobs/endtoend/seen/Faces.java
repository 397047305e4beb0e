package jobs.endtoend.seen;

import java.util.List;
import java.util.Set;

/**
 * What each fault declares. The table of {@code docs/watch.md} has these rows.
 * <p>
 * Times are those of the chaos run, in which Prometheus counts a minute as three seconds.
 * They begin when the fault is there; a fault that ends earlier may go unseen.
 */
public final class Faces {

	private static final String BOTH = "";

	private static final String DOOR = "rest-to-kafka";

	private static final String SINK = "kafka-to-mongo";

	/** What may stand between posts and the services. */
	private static final Set<String> NO_POSTS = Set.of("load", "clients", DOOR);

	/** What may keep the consumers from Kafka. */
	private static final Set<String> NO_CONSUMER = Set.of("services to Kafka", "brokers", "group", "authorisation",
			SINK);

	/** What may keep the consumers waiting with a batch, and so from asking Kafka. */
	private static final Set<String> CONSUMER_BUSY = Set.of("services to Kafka", "brokers", "group", "database",
			"services to MongoDB", SINK);

	/** What may keep batches from being tried. */
	private static final Set<String> NO_BATCH = Set.of("load", "services to Kafka", "brokers", "group", "authorisation",
			"topic", SINK);

	/** What may keep a bad record from becoming a dead letter. */
	private static final Set<String> NO_DEAD_LETTER = Set.of("services to Kafka", "brokers", "group", "authorisation",
			"database", "services to MongoDB", SINK);

	/** What may keep a service from looking at the group, or at a topic. */
	private static final Set<String> NO_LOOK_AT_KAFKA = Set.of("services to Kafka", "brokers", "authorisation", SINK,
			DOOR);

	/** What may keep kafka-to-mongo from looking at its indexes. */
	private static final Set<String> NO_LOOK_AT_MONGO = Set.of("database", "services to MongoDB", SINK);

	/** A job waits: what follows from whatever holds up the consumers. */
	private static final List<Sign> JOBS_WAIT = List.of(Sign.JOBS_WAIT_TOO_LONG, Sign.JOBS_LAG_GROWS);

	/**
	 * Whatever a service tells of Kafka when only a part of Kafka fails, or for a moment.
	 */
	private static final List<Sign> KAFKA_TROUBLE = List.of(Sign.NOT_READY, Sign.KAFKA_DOWN, Sign.LISTENER_DOWN,
			Sign.BATCH_WAITS, Sign.BACKLOG_UNKNOWN, Sign.JOBS_KAFKA_DOWN, Sign.JOBS_REFUSED, Sign.JOBS_BATCH_WAITS,
			Sign.JOBS_BACKLOG_UNKNOWN, Sign.JOBS_WAIT_TOO_LONG, Sign.JOBS_LAG_GROWS, Sign.JOBS_WARNING);

	/** Whatever kafka-to-mongo tells of MongoDB. */
	private static final List<Sign> MONGO_TROUBLE = List.of(Sign.NOT_READY, Sign.MONGO_DOWN, Sign.LISTENER_DOWN,
			Sign.BATCH_WAITS, Sign.JOBS_MONGO_DOWN, Sign.JOBS_BATCH_WAITS, Sign.JOBS_WAIT_TOO_LONG,
			Sign.JOBS_LAG_GROWS);

	/** What a service tells of itself until it has asked everybody. */
	private static final List<Sign> STARTING = List.of(Sign.JOBS_SERVICE_GONE, Sign.NOT_READY, Sign.KAFKA_DOWN,
			Sign.MONGO_DOWN, Sign.LISTENER_DOWN, Sign.LISTENER_STOPPED, Sign.BACKLOG_UNKNOWN, Sign.JOBS_KAFKA_DOWN,
			Sign.JOBS_MONGO_DOWN, Sign.JOBS_LISTENER_STOPPED, Sign.JOBS_BACKLOG_UNKNOWN, Sign.JOBS_REFUSED);

	/** Kafka is away for the services. */
	public static final Face KAFKA_AWAY = Face
		.of("Kafka can't be reached",
				"Read the reason in the console. Mend the brokers, or the network between them and the services.",
				"rest-to-kafka answers 503 and accepts nothing. Accepted jobs are in Kafka.")
		.must(15, BOTH, Sign.NOT_READY, Sign.KAFKA_DOWN)
		.must(20, BOTH, Sign.JOBS_KAFKA_DOWN)
		.must(18, SINK, Sign.BACKLOG_UNKNOWN)
		.must(24, SINK, Sign.JOBS_BACKLOG_UNKNOWN)
		.mustUnless(NO_POSTS, 15, DOOR, Sign.JOBS_REFUSED)
		.may(BOTH, KAFKA_TROUBLE);

	/** A broker is away, or the network to it. */
	public static final Face BROKER_AWAY = Face.of("One broker of several is away",
			"Look at Kafka's own monitoring. Look at the in-sync replicas when `JobsRefused` or `JobsPartDown` fires.",
			"All jobs, as long as `min.insync.replicas` are left. Clients get 503 until another broker leads.")
		.unseen("Nothing need be seen: the others go on")
		.may(BOTH, KAFKA_TROUBLE);

	/** The network to Kafka is slow. */
	public static final Face KAFKA_SLOW = Face
		.of("The network to Kafka is slow", "Look at `jobs_acknowledgement_seconds`. Mend the network.",
				"All jobs. rest-to-kafka answers 503 for a job that Kafka does not acknowledge in time.")
		.unseen("Nothing need be seen: slow is not away")
		.may(BOTH, KAFKA_TROUBLE);

	/** Kafka has too few replicas to take a job. */
	public static final Face TOO_FEW_IN_SYNC = Face
		.of("Too few in-sync replicas", "Bring the missing brokers back. Don't lower `min.insync.replicas`.",
				"rest-to-kafka answers 503. Accepted jobs are on the replicas that are left.")
		.mustUnless(NO_POSTS, 20, DOOR, Sign.JOBS_REFUSED)
		.may(BOTH, KAFKA_TROUBLE);

	/** Jobs may not be written. */
	public static final Face MAY_NOT_WRITE = Face
		.of("rest-to-kafka may not write to the topic", "Give its principal `WRITE` on the topic.",
				"rest-to-kafka answers 503 and accepts nothing. Accepted jobs are in Kafka.")
		.mustUnless(NO_POSTS, 15, DOOR, Sign.JOBS_REFUSED)
		.may(DOOR, Sign.NOT_READY, Sign.KAFKA_DOWN, Sign.JOBS_KAFKA_DOWN)
		// a replay writes to the topic, too
		.may(SINK, Sign.NOT_READY, Sign.KAFKA_DOWN, Sign.JOBS_KAFKA_DOWN);

	/** Jobs may not be read. */
	public static final Face MAY_NOT_READ = Face
		.of("kafka-to-mongo may not read the topic, or not join its group",
				"Read in the console which right is missing. Give its principal `READ` on the topic and on the group.",
				"Accepted jobs wait in Kafka. kafka-to-mongo goes on by itself.")
		.mustUnless(CONSUMER_BUSY, 20, SINK, Sign.NOT_READY, Sign.LISTENER_DOWN, Sign.LISTENER_STOPPED)
		.mustUnless(CONSUMER_BUSY, 25, SINK, Sign.JOBS_LISTENER_STOPPED)
		.may(SINK, Sign.KAFKA_DOWN, Sign.JOBS_KAFKA_DOWN, Sign.BATCH_WAITS, Sign.JOBS_BATCH_WAITS, Sign.BACKLOG_UNKNOWN,
				Sign.JOBS_BACKLOG_UNKNOWN)
		.may(SINK, JOBS_WAIT);

	/** The topic or the group of one of several resources may not be read. */
	public static final Face MAY_NOT_READ_ONE_OF_SEVERAL = Face
		.of("kafka-to-mongo may not read the topic of one of several resources, or not join its group",
				MAY_NOT_READ.advice(), MAY_NOT_READ.safe())
		.mustUnless(CONSUMER_BUSY, 20, SINK, Sign.LISTENER_STOPPED)
		.mustUnless(CONSUMER_BUSY, 25, SINK, Sign.JOBS_LISTENER_STOPPED)
		.may(SINK, MAY_NOT_READ.mays().stream().map(Face.May::sign).toList())
		.may(SINK, Sign.NOT_READY, Sign.LISTENER_DOWN);

	/** Services are replaced by some that have another contract. */
	public static final Face CONTRACT_CHANGED = Face.of("A contract is changed", "Nothing.", "All documents.")
		.may(BOTH, STARTING)
		.may(BOTH, Sign.SILENT, Sign.JOBS_SERVICE_DOWN, Sign.JOBS_CONTRACTS_DIFFER)
		.may(SINK, JOBS_WAIT)
		.may(SINK, Sign.BATCH_WAITS)
		.backAfter(60);

	/** Dead letters may not be written. */
	public static final Face MAY_NOT_WRITE_DEAD_LETTERS = Face
		.of("kafka-to-mongo may not write dead letters", "Give its principal `WRITE` on the dead-letter topic.",
				"A batch with a bad record waits, and all jobs behind it. They are in Kafka.")
		.unseen("Nothing need be seen before a bad record comes. Then the listener waits")
		.may(SINK, Sign.KAFKA_DOWN, Sign.JOBS_KAFKA_DOWN, Sign.NOT_READY, Sign.LISTENER_DOWN, Sign.BATCH_WAITS,
				Sign.JOBS_BATCH_WAITS)
		.may(SINK, JOBS_WAIT);

	/** MongoDB is away for the services. */
	public static final Face MONGO_AWAY = Face
		.of("MongoDB can't be reached", "Read the reason in the console. Mend MongoDB, or the network to it.",
				"rest-to-kafka goes on. Accepted jobs wait in Kafka, for as long as the topic keeps them.")
		.must(15, SINK, Sign.NOT_READY, Sign.MONGO_DOWN)
		.must(20, SINK, Sign.JOBS_MONGO_DOWN)
		.may(SINK, MONGO_TROUBLE);

	/** The network to MongoDB is slow. */
	public static final Face MONGO_SLOW = Face.of("MongoDB, or the network to it, is slow",
			"Look at `jobs_batch_seconds`, at MongoDB's disk and at indexes of yours.", "Accepted jobs wait in Kafka.")
		.unseen("Nothing need be seen before jobs wait for long")
		.may(SINK, MONGO_TROUBLE);

	/** MongoDB refuses inserts. */
	public static final Face MONGO_REFUSES = Face
		.of("MongoDB takes no writes: no primary, disk full, not authorised",
				"Look for the log line \"A batch can't be stored now\", which has the cause. Mend MongoDB.",
				"rest-to-kafka goes on. Accepted jobs wait in Kafka.")
		.mustUnless(NO_BATCH, 12, SINK, Sign.NOT_READY, Sign.LISTENER_DOWN, Sign.BATCH_WAITS)
		.mustUnless(NO_BATCH, 27, SINK, Sign.JOBS_BATCH_WAITS)
		.may(SINK, MONGO_TROUBLE);

	/** The network between clients and rest-to-kafka fails. */
	public static final Face CLIENTS_CUT = Face
		.of("The network between clients and rest-to-kafka fails", "Look at the clients, and at the proxy before them.",
				"Each job that was answered 202. A client sends again what got no answer, with its `Idempotency-Key`.")
		.unseen("Nothing need be seen: the services see only that fewer requests come")
		.may(DOOR, Sign.JOBS_REFUSED);

	/** Bad records came. */
	public static final Face STRAYS = Face
		.of("Bad records come, or one `Idempotency-Key` for two jobs",
				"Look at them in the console. Correct or discard them.",
				"All other jobs. Each bad record is kept whole as a dead letter.")
		.mustUnless(NO_DEAD_LETTER, 20, SINK, Sign.JOBS_DEAD_LETTERS);

	/** The issuer of tokens is away for the services. */
	public static final Face ISSUER_AWAY = Face
		.of("The issuer of tokens can't be reached", "Mend the issuer, or the network to it.",
				"All jobs. A service that starts meanwhile answers tokens with 503.")
		.unseen("Nothing need be seen: its last keys stay valid. The log says so")
		.may(BOTH, Sign.JOBS_REFUSED);

	/** A certificate is replaced in its files. */
	public static final Face CERTIFICATE_REPLACED = Face
		.of("A certificate is replaced", "Nothing.", "All jobs. Open connections go on with the old one.")
		.unseen("Nothing need be seen. The log says so");

	/** The load as it is, with some jobs that share a key. */
	public static final Face LOAD = Face.of("The load", "Nothing.", "All jobs.").may(SINK, Sign.JOBS_DEAD_LETTERS);

	/** The jobs that still wait when all faults are healed are worked off. */
	public static final Face BACKLOG = Face.of("A backlog is worked off", "Nothing.", "All jobs.").may(SINK, JOBS_WAIT);

	/** No more jobs come. */
	public static final Face NO_LOAD = Face.of("No jobs come", "Nothing.", "All jobs.");

	/** The machine of the run has no time for anybody. */
	static final Face NO_TIME = Face.of("The machine has no time", "Nothing.", "All jobs.")
		.may(BOTH, Sign.values())
		.backAfter(20);

	/** Consumers come and go. */
	public static final Face CONSUMERS_JOIN = Face
		.of("Instances of kafka-to-mongo join and leave", "Nothing.", "All jobs.")
		.unseen("Nothing need be seen: jobs wait for some seconds")
		.may(SINK, JOBS_WAIT);

	/** The topic has a partition more. */
	public static final Face PARTITION_MORE = Face.of("The topic gets more partitions", "Nothing.", "All jobs.")
		.unseen("Nothing need be seen");

	/** Somebody runs a tool with the name of the group. */
	public static final Face STRANGER_IN_GROUP = Face
		.of("A program that is no kafka-to-mongo joins the group", "Read its client id in the warning, and end it.",
				"kafka-to-mongo reads again what it has committed. Jobs of its partitions wait meanwhile.")
		.mustUnless(NO_LOOK_AT_KAFKA, 25, SINK, Sign.WARNED_OF_STRANGER)
		.mustUnless(NO_LOOK_AT_KAFKA, 45, SINK, Sign.JOBS_WARNING)
		.may(SINK, JOBS_WAIT);

	/** A setting of the topic may lose jobs. */
	public static final Face TOPIC_SETTING = Face
		.of("A setting of the topic may lose jobs", "Set what the warning names as it says.",
				"All jobs, until Kafka does what the setting says.")
		.mustUnless(NO_LOOK_AT_KAFKA, 30, BOTH, Sign.WARNED_OF_TOPIC)
		.mustUnless(NO_LOOK_AT_KAFKA, 50, BOTH, Sign.JOBS_WARNING);

	/** The dead-letter topic keeps the last record of a key alone. */
	public static final Face DEAD_LETTER_TOPIC_COMPACTED = Face
		.of("The dead-letter topic is compacted", "Set its `cleanup.policy` to `delete`.",
				"All jobs. Dead letters are documents, too, and each has a key.")
		.mustUnless(NO_LOOK_AT_KAFKA, 30, SINK, Sign.WARNED_OF_DEAD_LETTER_TOPIC)
		.mustUnless(NO_LOOK_AT_KAFKA, 50, SINK, Sign.JOBS_WARNING);

	/** A collection has lost its indexes, which is told for an hour. */
	public static final Face COLLECTION_DROPPED = Face
		.of("The collection of the jobs is dropped, and restored without its indexes",
				"Nothing, where that was you. Else restore a backup, or read the topic again.",
				"kafka-to-mongo makes the indexes again. Jobs from before are where they were restored from.")
		.mustUnless(NO_LOOK_AT_MONGO, 40, SINK, Sign.JOBS_WARNING)
		.may(SINK, MONGO_TROUBLE)
		.backAfter(3600);

	private Faces() {
	}

	/**
	 * A service does not run, or does not answer.
	 * @param name its name
	 */
	public static Face serviceAway(String name) {
		Face away = Face
			.of("A service ends, or hangs",
					"Look at its container or process, and at its log. Its supervisor should start it again.",
					"Accepted jobs are in Kafka. Other instances take over, those of kafka-to-mongo after 10 s.")
			// who looks waits 5 s for an answer, twice
			.must(12, name, Sign.SILENT)
			.must(12, name, Sign.JOBS_SERVICE_DOWN)
			.may(name, STARTING)
			.backAfter(60);
		// a consumer that hung comes back to a group that went on without it
		return name.startsWith(SINK) ? away.may(name, Sign.BATCH_WAITS).may(SINK, JOBS_WAIT) : away;
	}

	/**
	 * The group is set back to its beginning, while nobody is in it.
	 */
	public static Face offsetsReset() {
		return Face
			.of("The group's offsets are set back", "Nothing. kafka-to-mongo has to be stopped for it.",
					"All jobs. Each is recognised, and stays one document.")
			.must(12, SINK, Sign.SILENT)
			.must(12, SINK, Sign.JOBS_SERVICE_DOWN)
			.may(SINK, STARTING)
			.may(SINK, JOBS_WAIT)
			.backAfter(60);
	}

	/**
	 * All, in the order of the document.
	 */
	static List<Face> all() {
		return List.of(serviceAway(BOTH), KAFKA_AWAY, BROKER_AWAY, KAFKA_SLOW, TOO_FEW_IN_SYNC, MAY_NOT_WRITE,
				MAY_NOT_READ, MAY_NOT_WRITE_DEAD_LETTERS, MONGO_AWAY, MONGO_SLOW, MONGO_REFUSES, CLIENTS_CUT,
				ISSUER_AWAY, CERTIFICATE_REPLACED, STRAYS, CONSUMERS_JOIN, STRANGER_IN_GROUP, PARTITION_MORE,
				TOPIC_SETTING, DEAD_LETTER_TOPIC_COMPACTED, COLLECTION_DROPPED, offsetsReset());
	}

}
