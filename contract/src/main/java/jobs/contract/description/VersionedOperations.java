package jobs.contract.description;

import jobs.contract.Roles;
import jobs.contract.resources.Resource;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * What OpenAPI says of a resource whose documents have an id or a version of their own.
 */
final class VersionedOperations {

	private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

	private VersionedOperations() {
	}

	/** Adds to the path of all documents. */
	static void addToAll(ObjectNode item, Described described) {
		Resource resource = described.resource();
		if (resource.hasOwnIds()) {
			problem((ObjectNode) item.at("/post/responses"), "422",
					"The Idempotency-Key is not the id, which is `%s` of the document".formatted(resource.keys().id()));
		}
		if (resource.hasVersions()) {
			item.set("delete", deletion(item, described));
		}
	}

	/** Adds to the path of one document. */
	static void addToOne(ObjectNode item, Described described) {
		if (!described.resource().hasVersions()) {
			return;
		}
		ObjectNode get = (ObjectNode) item.get("get");
		ArrayNode parameters = (ArrayNode) get.get("parameters");
		parameter(parameters, "version", "query",
				"The least version that is asked for; `Superseded-By` tells where a higher one is stored", false);
		parameter(parameters, "If-None-Match", "header", "An `ETag`, for 304 where nothing has changed", false);
		ObjectNode responses = (ObjectNode) get.get("responses");
		responses.putObject("304").put("description", "The document has this `ETag`");
		problem(responses, "410", "The document was deleted or erased, with the time");
		ObjectNode headers = ((ObjectNode) responses.get("200")).withObjectProperty("headers");
		header(headers, "ETag", "The version");
		header(headers, "Last-Modified", "When this version was stored");
		header(headers, "Superseded-By", "The version that stands, where a lower one was asked for");
	}

	private static ObjectNode deletion(ObjectNode item, Described described) {
		Resource resource = described.resource();
		ObjectNode delete = NODES.objectNode();
		delete.put("operationId", described.words().operation("deleteJob"));
		delete.set("servers", item.at("/post/servers"));
		delete.set("security", item.at("/post/security"));
		delete.set("tags", item.at("/post/tags"));
		delete.put("summary", "Delete a document, up to a version");
		delete.put("description",
				("Answers once Kafka has the deletion. A higher version is stored again later, and a lower one is not. It needs"
						+ " `version` or `If-Match`. `DELETE %s/{id}` does the same for an id that a path can have.")
					.formatted(resource.path()));
		ArrayNode parameters = delete.putArray("parameters");
		parameter(parameters, "id", "query", "The id of the document", true);
		parameter(parameters, "version", "query", "The version of the deletion, an integer or a date-time", false);
		parameter(parameters, "If-Match", "header", "An `ETag` of GET; the deletion is the next version", false);
		ObjectNode responses = delete.putObject("responses");
		responses.putObject("202").put("description", "Kafka has the deletion");
		problem(responses, "400", "The id or version is malformed");
		responses.putObject("401").put("$ref", "#/components/responses/Unauthorized");
		problem(responses, "403",
				"The key or token has not the role `%s`".formatted(Roles.of(resource.name()).delete()));
		problem(responses, "428", "Neither `version` nor `If-Match` says which version is deleted");
		problem(responses, "429", "The client has sent more than it may; `Retry-After` tells when to go on");
		responses.putObject("503").put("$ref", "#/components/responses/Unavailable");
		return delete;
	}

	private static void parameter(ArrayNode parameters, String name, String in, String description, boolean required) {
		parameters.addObject()
			.put("name", name)
			.put("in", in)
			.put("required", required)
			.put("description", description)
			.putObject("schema")
			.put("type", "string");
	}

	private static void header(ObjectNode headers, String name, String description) {
		headers.putObject(name).put("description", description).putObject("schema").put("type", "string");
	}

	private static void problem(ObjectNode responses, String status, String description) {
		responses.putObject(status).put("$ref", "#/components/responses/Problem").put("description", description);
	}

}
