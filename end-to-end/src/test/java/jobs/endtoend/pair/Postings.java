package jobs.endtoend.pair;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Real job postings (MIT licence, see job-postings.LICENSE), and the comparison of a
 * posting with its document.
 */
public final class Postings {

	private static final JsonMapper JSON = new JsonMapper();

	private Postings() {
	}

	public static List<String> lines() {
		try (InputStream file = Postings.class.getResourceAsStream("/job-postings.ndjson")) {
			return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8).lines().toList();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	public static byte[] ndjson(List<String> lines) {
		return String.join("\n", lines).getBytes(StandardCharsets.UTF_8);
	}

	public static JsonNode json(String text) {
		return JSON.readTree(text);
	}

	/**
	 * Whether a document has every field of a posting with the same value and in the same
	 * order, a negative zero with its sign, and nothing else but {@code _id} and
	 * {@code _meta}.
	 */
	public static boolean same(String posting, BsonDocument document) {
		BsonDocument fields = document.clone();
		boolean complete = fields.remove("_id") != null && fields.remove("_meta") != null;
		try (JsonParser json = JSON.createParser(posting)) {
			return complete && same(json, json.nextToken(), fields) && json.nextToken() == null;
		}
	}

	private static boolean same(JsonParser json, JsonToken token, BsonValue bson) {
		return switch (token) {
			case START_OBJECT -> bson.isDocument() && sameFields(json, bson.asDocument());
			case START_ARRAY -> bson.isArray() && sameValues(json, bson.asArray());
			case VALUE_STRING -> bson.isString() && bson.asString().getValue().equals(json.getString());
			case VALUE_TRUE, VALUE_FALSE -> bson.equals(BsonBoolean.valueOf(token == JsonToken.VALUE_TRUE));
			case VALUE_NULL -> bson.isNull();
			case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> bson.isNumber() && sameNumber(json.getString(), bson);
			default -> false;
		};
	}

	private static boolean sameFields(JsonParser json, BsonDocument bson) {
		for (Map.Entry<String, BsonValue> field : bson.entrySet()) {
			if (!field.getKey().equals(json.nextName()) || !same(json, json.nextToken(), field.getValue())) {
				return false;
			}
		}
		return json.nextToken() == JsonToken.END_OBJECT;
	}

	private static boolean sameValues(JsonParser json, BsonArray bson) {
		for (BsonValue value : bson) {
			if (!same(json, json.nextToken(), value)) {
				return false;
			}
		}
		return json.nextToken() == JsonToken.END_ARRAY;
	}

	private static boolean sameNumber(String json, BsonValue bson) {
		BigDecimal number = new BigDecimal(json);
		boolean negativeZero = bson.isDouble() && 1 / bson.asDouble().getValue() == Double.NEGATIVE_INFINITY;
		return number.compareTo(number(bson)) == 0 && (number.signum() == 0 && json.startsWith("-")) == negativeZero;
	}

	private static BigDecimal number(BsonValue bson) {
		return switch (bson.getBsonType()) {
			case INT32, INT64 -> BigDecimal.valueOf(bson.asNumber().longValue());
			case DOUBLE -> BigDecimal.valueOf(bson.asDouble().getValue());
			default -> bson.asDecimal128().getValue().bigDecimalValue();
		};
	}

}
