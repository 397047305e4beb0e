package jobs.localstack;

import java.util.List;
import java.util.function.Function;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What a user may try first, once the pair runs.
 *
 * @param noun what is posted, with its article
 * @param path where it is posted and read
 * @param document a document that is accepted
 * @param query what shows it in MongoDB's shell
 * @param others a line that names all paths, or nothing
 */
record Tour(String noun, String path, String document, String query, String others) {

	/** The first resource that is no job has the tour, if there is one. */
	private static final String JOBS = "/jobs";

	/** The tour of a pair with jobs alone. */
	static Tour ofJobs() {
		return new Tour("a job", JOBS,
				"{\"title\": \"Engineer\", \"description\": \"Builds it\", \"company\": \"Acme\", \"salary\": \"$10,000\"}",
				"db.%s.find()".formatted(System.getenv().getOrDefault("KAFKA_TO_MONGO_COLLECTION", "jobs")), "");
	}

	/**
	 * The tour of a pair with a file of resources, which names all of them.
	 * @param service gives the body of a path of kafka-to-mongo, or {@code null}
	 */
	static Tour ofResources(Function<String, @Nullable String> service) {
		List<String> paths = StreamSupport
			.stream(json(service.apply("/contracts")).path("contracts").spliterator(), false)
			.map((one) -> one.path("path").asString())
			.toList();
		if (paths.isEmpty()) {
			return ofJobs();
		}
		String others = "%n  Both services have %s. See docs/your-own-documents.md.%n"
			.formatted(String.join(", ", paths));
		Tour jobs = ofJobs();
		String path = paths.stream().filter((one) -> !one.equals(JOBS)).findFirst().orElse(JOBS);
		// those that pass
		JsonNode example = json(service.apply("/openapi.yaml"))
			.at("/paths/~1%s/post/requestBody/content/application~1json/examples/example-1/value"
				.formatted(path.substring(1)));
		String document = path.equals(JOBS) ? jobs.document() : "{...}";
		return new Tour(path.equals(JOBS) ? jobs.noun() : "a document", path,
				example.isObject() ? example.toString() : document,
				"db.getCollectionNames().map(name => db[name].findOne())", others);
	}

	private static JsonNode json(@Nullable String text) {
		return new JsonMapper().readTree((text != null) ? text : "{}");
	}

}
