package jobs.contract.resources;

import java.util.List;
import java.util.Set;

import jobs.contract.Contract;

/**
 * A kind of documents that the pair carries, and the names of all that belongs to it.
 *
 * @param name the name in paths, roles, metrics and settings
 * @param contracts what its documents must look like. The last is what rest-to-kafka asks
 * of a document; kafka-to-mongo stores a record that keeps any of them
 * @param sha256 a digest, in hex, of all that both services are told of what they accept:
 * the contracts, how they are read, and a {@code max-size}
 * @param keys the fields that decide where a document is stored and for how long
 * @param findBy the fields by which stored documents are found, as JSON Pointers
 * @param columns the fields that the console shows of a document, as JSON Pointers
 * @param maxSize the most bytes of a document
 * @param topic the topic that has its documents
 * @param deadLetterTopic the topic of its records that can't be stored
 * @param collection the collection of its documents
 * @param deadLetterCollection the collection of its dead letters
 * @param group the consumer group that reads its topic
 */
public record Resource(String name, List<Contract> contracts, String sha256, KeyFields keys, List<String> findBy,
		List<String> columns, int maxSize, String topic, String deadLetterTopic, String collection,
		String deadLetterCollection, String group) {

	/** The resource of a pair without a file of resources. */
	public static final String JOBS = "jobs";

	private static final Set<String> NO_PATHS = Set.of(".", "..", "events", "dead-letters");

	/** The same with at least so many bytes of a document. */
	public Resource withAtLeast(int maxSize) {
		return new Resource(this.name, this.contracts, this.sha256, this.keys, this.findBy, this.columns,
				Math.max(maxSize, this.maxSize), this.topic, this.deadLetterTopic, this.collection,
				this.deadLetterCollection, this.group);
	}

	/** Whether this is the resource of version 1.0, whose names have no system. */
	public boolean isJobs() {
		return this.name.equals(JOBS);
	}

	/** Whether documents bring their id, and rest-to-kafka makes none. */
	public boolean hasOwnIds() {
		return this.keys.id() != null;
	}

	/** Whether the newest version of a document is stored, and not the first one. */
	public boolean hasVersions() {
		return this.keys.version() != null;
	}

	/** What a new document must keep. */
	public Contract contract() {
		return this.contracts.getLast();
	}

	/** A document of it, in a sentence. */
	public String noun() {
		return isJobs() ? "job" : "document";
	}

	/** Documents of it, at the beginning of a sentence. */
	public String nouns() {
		return isJobs() ? "Jobs" : "Documents";
	}

	/** The path of its documents. */
	public String path() {
		return "/" + this.name;
	}

	/**
	 * Whether {@code /jobs/{id}} is the address of a document. Else {@code /jobs?id=} is:
	 * no path can have an id of dots or a NUL, and two ids are those of other things.
	 */
	public static boolean hasPath(String id) {
		return !NO_PATHS.contains(id) && id.indexOf('\0') < 0;
	}

	/** Whether the id of a document is an integer. */
	public boolean hasIntegerIds() {
		return this.keys.id() != null && contract().field(this.keys.id()).types().equals(List.of("integer"));
	}

	/** The path of its dead letters. */
	public String deadLettersPath() {
		return isJobs() ? "/dead-letters" : path() + "/dead-letters";
	}

	/** Whether the id of a document is its own top-level field {@link #idField()}. */
	public boolean showsOwnId() {
		return ("/" + idField()).equals(this.keys.id());
	}

	/**
	 * The field in which answers have the id. Documents other than jobs may have a field
	 * {@code id} of their own, which may be that id.
	 */
	public String idField() {
		return (isJobs() || "/id".equals(this.keys.id())) ? "id" : "_id";
	}

	/** The group that reads its dead letters. */
	public String deadLetterGroup() {
		return this.group + "-dead-letters";
	}

	/** The name of something that each resource has one of, as of a warning. */
	public String named(String what) {
		return isJobs() ? what : what + "-" + this.name;
	}

	/** The same for its dead letters. No name of a resource has a point. */
	public String deadLettersNamed(String what) {
		return named(what) + ".dead-letters";
	}

	/** Describes the contracts to a program that does not know this type. */
	public <T> T describe(Description<T> description) {
		return description.of(this.name, this.sha256, this.maxSize, path(), this.topic,
				this.contracts.stream().map(Contract::digest).toList(), contract().schema(),
				this.contracts.stream().flatMap((one) -> one.warnings().stream()).distinct().toList());
	}

	/**
	 * Makes a description of the contracts.
	 *
	 * @param <T> what it makes
	 */
	@FunctionalInterface
	public interface Description<T> {

		/**
		 * Makes it of the name, the digest of the whole, the most bytes, the path, the
		 * topic, the digest of each contract, the schema of the last, and what refuses
		 * nothing.
		 */
		T of(String name, String sha256, int maxSize, String path, String topic, List<String> schemas, String schema,
				List<String> warnings);

	}

}
