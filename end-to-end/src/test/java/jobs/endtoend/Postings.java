package jobs.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Real job postings (MIT licence, see job-postings.LICENSE), and the comparison of a
 * posting with its document.
 */
final class Postings {

	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.build();

	private Postings() {
	}

	static List<String> lines() {
		try (InputStream file = Postings.class.getResourceAsStream("/job-postings.ndjson")) {
			return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8).lines().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static byte[] ndjson(List<String> lines) {
		return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
	}

	static JsonNode json(String text) {
		return JSON.readTree(text);
	}

	/**
	 * Whether a document has every field of a posting with the same value, and no other
	 * but {@code _id} and {@code _meta}.
	 */
	static boolean same(String posting, BsonDocument document) {
		JsonNode json = json(posting);
		return document.size() == json.size() + 2 && json.propertyStream()
			.allMatch((field) -> document.containsKey(field.getKey())
					&& same(field.getValue(), document.get(field.getKey())));
	}

	private static boolean same(JsonNode json, BsonValue bson) {
		return switch (bson.getBsonType()) {
			case DOCUMENT -> json.isObject() && json.size() == bson.asDocument().size()
					&& json.propertyStream()
						.allMatch((field) -> bson.asDocument().containsKey(field.getKey())
								&& same(field.getValue(), bson.asDocument().get(field.getKey())));
			case ARRAY -> json.isArray() && same(json, bson.asArray());
			case STRING -> json.isString() && json.stringValue().equals(bson.asString().getValue());
			case BOOLEAN -> json.isBoolean() && json.booleanValue() == bson.asBoolean().getValue();
			case NULL -> json.isNull();
			case INT32, INT64, DOUBLE, DECIMAL128 ->
				json.isNumber() && json.decimalValue().compareTo(number(bson)) == 0;
			default -> false;
		};
	}

	private static boolean same(JsonNode json, BsonArray bson) {
		if (json.size() != bson.size()) {
			return false;
		}
		for (int i = 0; i < bson.size(); i++) {
			if (!same(json.get(i), bson.get(i))) {
				return false;
			}
		}
		return true;
	}

	private static BigDecimal number(BsonValue bson) {
		return switch (bson.getBsonType()) {
			case INT32 -> BigDecimal.valueOf(bson.asInt32().getValue());
			case INT64 -> BigDecimal.valueOf(bson.asInt64().getValue());
			case DOUBLE -> BigDecimal.valueOf(bson.asDouble().getValue());
			default -> bson.asDecimal128().getValue().bigDecimalValue();
		};
	}

}
