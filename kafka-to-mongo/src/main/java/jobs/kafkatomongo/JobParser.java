package jobs.kafkatomongo;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import jobs.kafkatomongo.DeadLetter.Reason;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonBinaryWriter;
import org.bson.RawBsonDocument;
import org.bson.io.BasicOutputBuffer;
import org.bson.types.Decimal128;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Turns a record, whoever wrote it, into the document to store.
 * <p>
 * It accepts whatever rest-to-kafka accepts, and keeps every value as it was posted:
 * integers as int32 or int64, decimals as double where that gives the same number and as
 * Decimal128 where not.
 */
class JobParser {

	private static final int MAX_DEPTH = 64;

	private static final int MAX_BSON_SIZE = 16 * 1024 * 1024 - 64 * 1024;

	/** What a decoder puts in the place of bytes that are not valid. */
	private static final char REPLACEMENT = '\uFFFD';

	/**
	 * Without its table of names, which refuses a job for the names of the jobs before
	 * it.
	 */
	private final JsonMapper json = JsonMapper
		.builder(JsonFactory.builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build())
		.build();

	private final JobSchema schema = load();

	private final Clock clock;

	private final int maxSize;

	/**
	 * Makes a parser.
	 * @param clock tells when a job is stored
	 * @param maxSize the most bytes that a value may have
	 */
	JobParser(Clock clock, int maxSize) {
		this.clock = clock;
		this.maxSize = maxSize;
	}

	private static JobSchema load() {
		try (InputStream file = JobParser.class.getResourceAsStream("/job.schema.json")) {
			return new JobSchema(new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Makes the document of a record.
	 * @param record the record; its value may be missing or anything
	 * @return the job
	 * @throws BadJobException when the record can't be stored, now or ever
	 */
	Job parse(ConsumerRecord<byte[], byte[]> record) throws BadJobException {
		byte @Nullable [] value = record.value();
		if (value == null) {
			throw new BadJobException(Reason.NOT_JSON, "The record has no value");
		}
		if (value.length > this.maxSize) {
			throw new BadJobException(Reason.CONTRACT, "The value is larger than %d bytes".formatted(this.maxSize));
		}
		String text = text(value);
		if (text == null) {
			throw new BadJobException(Reason.NOT_JSON, "The value is not valid UTF-8");
		}
		try (JsonParser parser = this.json.createParser(text); BasicOutputBuffer bson = new TextBuffer()) {
			Walk walk = new Walk(text, parser, new BsonBinaryWriter(bson), record);
			walk.write();
			if (!walk.fitsSchema()) {
				requireContract(this.json.readTree(text));
			}
			if (bson.getSize() > MAX_BSON_SIZE) {
				throw new BadJobException(Reason.CONTRACT, "The document would be larger than MongoDB's 16 MiB");
			}
			return new Job(record, new RawBsonDocument(bson.toByteArray()));
		}
		catch (StreamConstraintsException ex) {
			throw new BadJobException(Reason.CONTRACT, "A field name or a number in the value is too long");
		}
		catch (JacksonException ex) {
			throw new BadJobException(Reason.NOT_JSON, "The value is not valid JSON, see line %d, column %d"
				.formatted(ex.getLocation().getLineNr(), ex.getLocation().getColumnNr()));
		}
	}

	private void requireContract(JsonNode job) throws BadJobException {
		List<JobSchema.BrokenRule> broken = this.schema.validate(job);
		if (!broken.isEmpty()) {
			throw new BadJobException(broken);
		}
	}

	/**
	 * The document's id: the record's key, or the record's position where there is no key
	 * or none that is text.
	 */
	static String id(byte @Nullable [] key, String position) {
		String id = (key != null) ? text(key) : null;
		return (id != null && !id.isEmpty()) ? id : position;
	}

	static String position(ConsumerRecord<?, ?> record) {
		return record.topic() + "#" + record.partition() + "#" + record.offset();
	}

	/**
	 * The text of bytes that are UTF-8, else {@code null}.
	 */
	static @Nullable String text(byte[] bytes) {
		String text = new String(bytes, StandardCharsets.UTF_8);
		return (text.indexOf(REPLACEMENT) < 0 || isUtf8(bytes)) ? text : null;
	}

	private static boolean isUtf8(byte[] bytes) {
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
			return true;
		}
		catch (CharacterCodingException ex) {
			return false;
		}
	}

	private static String sha256(byte[] bytes) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * One pass over the tokens: checks what the schema can't say and writes BSON.
	 */
	private final class Walk {

		private final Deque<Set<String>> names = new ArrayDeque<>();

		private final JobSchema.Glance glance = JobParser.this.schema.glance();

		private final JsonParser json;

		private final BsonBinaryWriter bson;

		private final ConsumerRecord<byte[], byte[]> record;

		/** Text that is valid has lone surrogates only where they are escaped. */
		private final boolean escapes;

		private int depth;

		Walk(String text, JsonParser json, BsonBinaryWriter bson, ConsumerRecord<byte[], byte[]> record) {
			this.json = json;
			this.bson = bson;
			this.record = record;
			this.escapes = text.contains("\\u");
		}

		boolean fitsSchema() {
			return this.glance.isEnough();
		}

		void write() throws BadJobException {
			JsonToken token = this.json.nextToken();
			boolean one = (token == JsonToken.START_OBJECT);
			while (one && token != null) {
				write(token);
				token = this.json.nextToken();
				one = (this.depth > 0 || token == null);
			}
			if (!one) {
				throw new BadJobException(Reason.NOT_JSON, "The value must be one JSON object");
			}
		}

		private void write(JsonToken token) throws BadJobException {
			if (this.depth == 1 && token != JsonToken.PROPERTY_NAME) {
				this.glance.value(token, this.json);
			}
			switch (token) {
				case START_OBJECT -> {
					enter();
					this.names.push(new HashSet<>());
					this.bson.writeStartDocument();
					if (this.depth == 1) {
						this.bson.writeString("_id", id(this.record.key(), position(this.record)));
					}
				}
				case END_OBJECT -> {
					this.depth--;
					this.names.pop();
					if (this.depth == 0) {
						meta();
					}
					this.bson.writeEndDocument();
				}
				case START_ARRAY -> {
					enter();
					this.bson.writeStartArray();
				}
				case END_ARRAY -> {
					this.depth--;
					this.bson.writeEndArray();
				}
				case PROPERTY_NAME -> name(this.json.currentName());
				case VALUE_STRING -> string(this.json.getString());
				case VALUE_NUMBER_INT -> integer();
				case VALUE_NUMBER_FLOAT -> decimal(this.json.getString());
				case VALUE_TRUE, VALUE_FALSE -> this.bson.writeBoolean(token == JsonToken.VALUE_TRUE);
				case VALUE_NULL -> this.bson.writeNull();
				default -> throw new IllegalStateException("Token " + token);
			}
		}

		private void meta() {
			long now = JobParser.this.clock.millis();
			this.bson.writeStartDocument("_meta");
			this.bson.writeDateTime("acceptedAt", (this.record.timestamp() >= 0) ? this.record.timestamp() : now);
			this.bson.writeDateTime("storedAt", now);
			this.bson.writeString("topic", this.record.topic());
			this.bson.writeInt32("partition", this.record.partition());
			this.bson.writeInt64("offset", this.record.offset());
			this.bson.writeString("sha256", sha256(this.record.value()));
			this.bson.writeEndDocument();
		}

		private void enter() throws BadJobException {
			require(++this.depth <= MAX_DEPTH, "is nested deeper than " + MAX_DEPTH + " levels");
		}

		private void name(String name) throws BadJobException {
			require(Objects.requireNonNull(this.names.peek()).add(name), "stands there twice");
			require(!this.escapes || isText(name), "has a lone surrogate in its name");
			require(name.indexOf('\0') < 0, "has a NUL in its name");
			require(!name.startsWith("$"), "has a name that starts with \"$\"");
			require(name.indexOf('.') < 0, "has a name with a \".\" in it");
			if (this.depth == 1) {
				this.glance.name(name);
				require(!name.startsWith("_"), "has a name that starts with \"_\", which is reserved");
				require(!name.equals("id"), "is the name under which GET /jobs gives the id");
			}
			this.bson.writeName(name);
		}

		private void string(String value) throws BadJobException {
			require(!this.escapes || isText(value), "holds a lone surrogate");
			this.bson.writeString(value);
		}

		private void integer() throws BadJobException {
			switch (this.json.getNumberType()) {
				case INT -> {
					if (this.json.getString().equals("-0")) {
						this.bson.writeDouble(-0.0);
					}
					else {
						this.bson.writeInt32(this.json.getIntValue());
					}
				}
				case LONG -> this.bson.writeInt64(this.json.getLongValue());
				default -> require(false, "is an integer beyond 64 bits");
			}
		}

		private void decimal(String number) throws BadJobException {
			try {
				BigDecimal decimal = new BigDecimal(number);
				require(decimal.precision() <= 34, "is a decimal beyond 34 digits");
				double value = decimal.doubleValue();
				if (decimal.signum() == 0) {
					this.bson.writeDouble(number.startsWith("-") ? -0.0 : 0.0);
				}
				else if (Double.isFinite(value) && BigDecimal.valueOf(value).compareTo(decimal) == 0) {
					this.bson.writeDouble(value);
				}
				else {
					this.bson.writeDecimal128(new Decimal128(decimal));
				}
			}
			catch (NumberFormatException ex) {
				require(false, "is a decimal out of range");
			}
		}

		private void require(boolean kept, String detail) throws BadJobException {
			if (!kept) {
				String pointer = this.json.streamReadContext().pathAsPointer().toString();
				throw new BadJobException(List.of(new JobSchema.BrokenRule(JobSchema.bounded(pointer), detail)));
			}
		}

		private static boolean isText(String value) {
			for (int i = 0; i < value.length(); i++) {
				if (Character.isSurrogate(value.charAt(i))) {
					if (!Character.isSurrogatePair(value.charAt(i),
							(i + 1 < value.length()) ? value.charAt(i + 1) : 0)) {
						return false;
					}
					i++;
				}
			}
			return true;
		}

	}

	/**
	 * BSON of text that has a form in UTF-8 and, in names, no NUL. The driver looks for
	 * both, character by character, which takes a seventh of the CPU time of this
	 * service.
	 */
	private static final class TextBuffer extends BasicOutputBuffer {

		@Override
		public void writeString(String text) {
			byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
			writeInt32(bytes.length + 1);
			writeBytes(bytes);
			writeByte(0);
		}

		@Override
		public void writeCString(String name) {
			writeBytes(name.getBytes(StandardCharsets.UTF_8));
			writeByte(0);
		}

	}

}
