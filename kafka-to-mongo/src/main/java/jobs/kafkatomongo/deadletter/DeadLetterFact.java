package jobs.kafkatomongo.deadletter;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * The facts of a dead letter: each is a header of the record and a field of the document.
 */
enum DeadLetterFact {

	REASON("dlt-reason", "reason", DeadLetterFact::text, DeadLetter.UNKNOWN),

	DETAIL("dlt-detail", "detail", DeadLetterFact::text, "This record came without a reason to the topic"),

	/** JSON Pointers to the fields at fault: a JSON array, and an array. */
	POINTERS("dlt-pointers", "pointers", DeadLetterFact::texts, ""),

	/** The code of MongoDB's error. */
	CODE("dlt-mongodb-code", "code", DeadLetterFact::number, ""),

	/** The id of the dead letter that the record is a replay of. */
	REPLAY_OF("replay-of", "replayOf", DeadLetterFact::text, ""),

	/**
	 * The time of the original, in milliseconds since 1970, which tells twins apart.
	 */
	TIMESTAMP("dlt-original-timestamp", "acceptedAt", DeadLetterFact::time, ""),

	/** The bytes of a key that is left out. */
	KEY_LEFT_OUT("dlt-key-left-out", "keyLeftOut", DeadLetterFact::number, ""),

	/** The bytes of a value that is left out. */
	VALUE_LEFT_OUT("dlt-value-left-out", "valueLeftOut", DeadLetterFact::number, "");

	private static final JsonMapper JSON = new JsonMapper();

	final String header;

	final String field;

	private final Function<String, @Nullable BsonValue> reader;

	/** The text in the place of a header that is missing or can't be read. */
	private final String otherwise;

	DeadLetterFact(String header, String field, Function<String, @Nullable BsonValue> reader, String otherwise) {
		this.header = header;
		this.field = field;
		this.reader = reader;
		this.otherwise = otherwise;
	}

	/**
	 * Reads the text of the header, empty for none; {@code null} where it says nothing.
	 */
	@Nullable BsonValue read(String text) {
		return this.reader.apply(text.isEmpty() ? this.otherwise : text);
	}

	private static @Nullable BsonValue text(String text) {
		return text.isEmpty() ? null : new BsonString(text);
	}

	private static @Nullable BsonValue number(String text) {
		return text.matches("\\d{1,9}") ? new BsonInt32(Integer.parseInt(text)) : null;
	}

	private static @Nullable BsonValue time(String text) {
		return text.matches("\\d{1,18}") ? new BsonDateTime(Long.parseLong(text)) : null;
	}

	private static @Nullable BsonValue texts(String json) {
		try {
			return json.isEmpty() ? null
					: new BsonArray(Stream.of(JSON.readValue(json, String[].class))
						.map(Objects::requireNonNull)
						.map(BsonString::new)
						.toList());
		}
		catch (JacksonException | NullPointerException ex) {
			// another producer may have put any text into this header
			return new BsonArray(List.of(new BsonString(json)));
		}
	}

}
