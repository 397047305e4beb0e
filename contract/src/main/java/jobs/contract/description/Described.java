package jobs.contract.description;

import java.util.ArrayList;
import java.util.List;

import jobs.contract.Contract;
import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.Resource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A resource, as a document describes it.
 *
 * @param schema the contract of new documents, as it is
 * @param examples those of its examples that it takes, ten at most
 * @param isBuiltIn whether the documents are the jobs of a pair without a file
 */
record Described(Resource resource, Wording words, JsonNode schema, List<JsonNode> examples, boolean isBuiltIn) {

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.build();

	private static final int MAX_EXAMPLES = 10;

	static Described of(Resource resource) {
		JsonNode schema = JSON.readTree(resource.contract().schema());
		List<JsonNode> examples = new ArrayList<>();
		for (JsonNode one : schema.path("examples")) {
			if (examples.size() < MAX_EXAMPLES && takes(resource.contract(), one)) {
				examples.add(one);
			}
		}
		boolean isBuiltIn = resource.isJobs() && resource.contract().digest().equals(Contract.load().digest());
		return new Described(resource, new Wording(resource), schema, List.copyOf(examples), isBuiltIn);
	}

	boolean takes(JsonNode document) {
		return takes(this.resource.contract(), document);
	}

	private static boolean takes(Contract contract, JsonNode document) {
		try {
			contract.check(JSON.writeValueAsBytes(document));
			return true;
		}
		catch (RefusedDocumentException ex) {
			return false;
		}
	}

	/**
	 * The schema inside another document. Without an {@code $id} its references would
	 * lead into that document; it gets the address at which a service shows it.
	 */
	JsonNode embedded() {
		if (!(this.schema instanceof ObjectNode object) || object.has("$id")) {
			return this.schema;
		}
		ObjectNode copy = JsonNodeFactory.instance.objectNode();
		copy.put("$id", "contracts/" + this.resource.name());
		copy.setAll(object);
		return copy;
	}

}
