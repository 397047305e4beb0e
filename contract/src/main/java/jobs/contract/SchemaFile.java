package jobs.contract;

import java.util.Objects;

import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A file of a contract.
 *
 * @param name the path in the folder of the contract, with slashes
 * @param text what stands in it
 * @param tree the same as JSON
 */
record SchemaFile(String name, String text, JsonNode tree) {

	/** The largest size, in bytes. */
	static final int MAX_SIZE = 1024 * 1024;

	/** How deep JSON may nest in a schema. */
	static final int MAX_DEPTH = 64;

	private static final JsonMapper JSON = JsonMapper
		.builder(JsonFactory.builder()
			.streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
			.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
			.build())
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build();

	/** Reads a file; throws ContractException where its bytes are no JSON. */
	static SchemaFile parse(String name, byte[] bytes) {
		if (bytes.length > MAX_SIZE) {
			throw new ContractException("%s is larger than %d bytes".formatted(name, MAX_SIZE));
		}
		String text = Utf8.decode(bytes);
		if (text == null) {
			throw new ContractException("%s is not valid UTF-8".formatted(name));
		}
		return parse(name, text);
	}

	static SchemaFile parse(String name, String text) {
		if (text.startsWith("\uFEFF")) {
			throw new ContractException(
					"%s begins with a byte order mark (U+FEFF), which no editor shows; save it as UTF-8 without one"
						.formatted(name));
		}
		try {
			JsonNode tree = JSON.readTree(text);
			if (tree.isMissingNode()) {
				throw new ContractException("%s is empty".formatted(name));
			}
			checkText(name, "", tree);
			return new SchemaFile(name, text, tree);
		}
		catch (JacksonException ex) {
			// Jackson does not say where it is that JSON nests too deep
			TokenStreamLocation place = Objects.requireNonNullElse(ex.getLocation(), TokenStreamLocation.NA);
			throw new ContractException("%s, line %d, column %d: %s".formatted(name, Math.max(1, place.getLineNr()),
					Math.max(1, place.getColumnNr()), ex.getOriginalMessage()), ex);
		}
	}

	/** Half a surrogate pair is no text in UTF-8, and not to be told from another. */
	private static void checkText(String file, String pointer, JsonNode node) {
		if (!DocumentWalk.isText(node.asString(""))) {
			throw ContractException.at(file, pointer, "the string holds a lone surrogate");
		}
		node.forEachEntry((name, value) -> {
			if (!DocumentWalk.isText(name)) {
				throw ContractException.at(file, pointer, "a name holds a lone surrogate");
			}
			checkText(file, pointer + "/" + Subschema.escape(name), value);
		});
		if (node.isArray()) {
			for (int i = 0; i < node.size(); i++) {
				checkText(file, pointer + "/" + i, node.get(i));
			}
		}
	}

}
