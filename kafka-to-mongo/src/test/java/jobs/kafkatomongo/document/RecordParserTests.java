package jobs.kafkatomongo.document;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

import jobs.contract.Contract;
import jobs.contract.RefusedDocumentException;
import jobs.contract.RefusedDocumentException.Fault;
import jobs.contract.resources.KeyFields;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.testkit.HostileJobs;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RecordParserTests {

	private static final Path EXAMPLES = Path.of("../contract/examples");

	private static final JsonMapper EXACT = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.build();

	private static final Instant NOW = Instant.parse("2026-11-21T10:00:00.5Z");

	private final RecordParser parser = Records.parser(Clock.fixed(NOW, ZoneOffset.UTC), 1 << 20);

	@ParameterizedTest
	@MethodSource
	void keepsEveryValueAsItWasPosted(String job) throws RefusedDocumentException {
		BsonDocument document = this.parser.parse(Records.record("id", job)).document();

		ObjectNode readBack = (ObjectNode) EXACT.readTree(DocumentJson.write(document, "id"));
		assertThat(readBack.remove("id").asString()).isEqualTo("id");
		readBack.remove("_meta");
		assertThat(readBack.equals(RecordParserTests::compare, EXACT.readTree(job))).as(readBack + " is " + job)
			.isTrue();
		assertThat(readBack.propertyNames()).containsExactlyElementsOf(EXACT.readTree(job).propertyNames());
	}

	static List<String> keepsEveryValueAsItWasPosted() throws IOException {
		return Files.readAllLines(EXAMPLES.resolve("accepted.ndjson"));
	}

	/** A name beyond ASCII has all read once more, by the other one. */
	@ParameterizedTest
	@MethodSource("keepsEveryValueAsItWasPosted")
	void writesTheSameByBothWalks(String job) throws RefusedDocumentException {
		BsonDocument document = withoutDigest(job);
		BsonDocument again = withoutDigest(job.substring(0, job.lastIndexOf('}')) + ",\"ä\":0}");

		assertThat(again.remove("ä")).isNotNull();
		assertThat(again).isEqualTo(document);
		assertThat(again.keySet()).containsExactlyElementsOf(document.keySet());
	}

	private BsonDocument withoutDigest(String job) throws RefusedDocumentException {
		BsonDocument document = BsonDocument.parse(this.parser.parse(Records.record("id", job)).document().toJson());
		document.getDocument("_meta").remove("sha256");
		return document;
	}

	@Test
	void givesTheReasonInTheWordsOfTheContract() {
		RefusedDocumentException refusal = refusal(Records.record("id", "{\"title\":\" \"}"));

		assertThat(new DeadLetter(Records.record("id", null), refusal).detail()).isEqualTo("/title must not be blank");
	}

	@Test
	void refusesAValueBeyondTheLimitUnread() {
		RefusedDocumentException refusal = refusal(Records.record("id", "x".repeat((1 << 20) + 1)));

		assertThat(refusal.fault()).isEqualTo(Fault.CONTRACT);
		assertThat(refusal.detail()).isEqualTo("The value is larger than 1048576 bytes");
	}

	/** Its {@code max-size} may have been larger then. */
	@Test
	void takesALargerValueThatRestToKafkaAccepted() throws RefusedDocumentException {
		ConsumerRecord<byte[], byte[]> accepted = Records.record("id", "{\"title\":\"" + "x".repeat(3 << 20) + "\"}");
		accepted.headers().add("contract", Records.utf8("0".repeat(64)));
		ConsumerRecord<byte[], byte[]> huge = Records.record("id", " ".repeat((1 << 24) + 1));
		huge.headers().add("contract", Records.utf8("0".repeat(64)));

		assertThat(this.parser.parse(accepted).id().asString().getValue()).isEqualTo("id");
		assertThat(refusal(huge).detail()).contains("is larger than");
	}

	/** Its check could take all of the heap, and end the process again and again. */
	@Test
	void refusesAValueThatTheHeapHasNoRoomFor() {
		RecordParser inTheImage = new RecordParser(List.of(Contract.load()), KeyFields.NONE, Clock.systemUTC(), 1 << 20,
				new LargeRecords(127 << 20));
		ConsumerRecord<byte[], byte[]> accepted = Records.record("id", "{\"title\":\"" + "x".repeat(3 << 20) + "\"}");
		accepted.headers().add("contract", Records.utf8("0".repeat(64)));

		assertThatExceptionOfType(RefusedDocumentException.class).isThrownBy(() -> inTheImage.parse(accepted))
			.satisfies((refusal) -> assertThat(refusal.detail()).isEqualTo("The value has 3145740 bytes, and this"
					+ " service checks 2219485 at most with the heap that it has"));
	}

	@ParameterizedTest
	@MethodSource
	void refusesWhatRestToKafkaRefuses(String pointer, String job) {
		RefusedDocumentException refusal = refusal(Records.record("id", job));

		assertThat(refusal.fault()).isEqualTo(pointer.equals("-") ? Fault.NOT_JSON : Fault.CONTRACT);
		assertThat(new DeadLetter(Records.record("id", job), refusal).detail())
			.contains(pointer.equals("-") ? "JSON" : pointer);
	}

	static Stream<String[]> refusesWhatRestToKafkaRefuses() throws IOException {
		return Files.readAllLines(EXAMPLES.resolve("refused.tsv")).stream().map((line) -> line.split("\t", 2));
	}

	@ParameterizedTest
	@CsvSource({ "1, INT32", "-2147483648, INT32", "2147483648, INT64", "9223372036854775807, INT64", "1.0, DOUBLE",
			"0.1, DOUBLE", "-0.0, DOUBLE", "-0, DOUBLE", "1e400, DECIMAL128",
			"0.1000000000000000055511151231257827, DECIMAL128", "9007199254740993.0, DECIMAL128",
			"9007199254740993, INT64", "0e9999, DOUBLE" })
	void choosesTheTypeThatHoldsANumberExactly(String number, BsonType type) throws RefusedDocumentException {
		BsonValue stored = this.parser.parse(Records.record("id", "{\"title\":\"a\",\"n\":" + number + "}"))
			.document()
			.get("n");

		assertThat(stored).isNotNull();
		assertThat(stored.getBsonType()).isEqualTo(type);
	}

	@ParameterizedTest
	@ValueSource(strings = { "-0", "-0.0", "-0e5" })
	void keepsTheSignOfZero(String zero) throws RefusedDocumentException {
		assertThat(this.parser.parse(Records.record("id", "{\"title\":\"a\",\"n\":" + zero + "}")).document().get("n"))
			.isEqualTo(new BsonDouble(-0.0));
	}

	@Test
	void notesWhereAndWhenTheJobWasAccepted() throws Exception {
		String job = "{\"title\":\"a\"}";

		BsonDocument document = this.parser.parse(Records.record("id", job)).document();

		assertThat(document.keySet()).containsExactly("_id", "title", "_meta");
		BsonDocument meta = document.getDocument("_meta");
		assertThat(meta.keySet()).containsExactly("acceptedAt", "storedAt", "topic", "partition", "offset", "sha256");
		assertThat(meta.getDateTime("acceptedAt").getValue()).isEqualTo(Records.TIMESTAMP);
		assertThat(meta.getDateTime("storedAt").getValue()).isEqualTo(NOW.toEpochMilli());
		assertThat(meta.getString("topic").getValue()).isEqualTo("topic");
		assertThat(meta.getInt32("partition").getValue()).isEqualTo(3);
		assertThat(meta.getInt64("offset").getValue()).isEqualTo(17);
		assertThat(meta.getString("sha256").getValue()).isEqualTo(HexFormat.of()
			.formatHex(MessageDigest.getInstance("SHA-256").digest(job.getBytes(StandardCharsets.UTF_8))));
	}

	@Test
	void takesTheKeyForTheIdAndThePositionWithoutOne() throws RefusedDocumentException {
		byte[] job = Records.utf8("{\"title\":\"a\"}");

		assertThat(id(Records.record(Records.utf8("schlüssel"), job))).isEqualTo("schlüssel");
		assertThat(id(Records.record((byte[]) null, job))).isEqualTo("topic#3#17");
		assertThat(id(Records.record(new byte[0], job))).isEqualTo("topic#3#17");
		assertThat(id(Records.record(new byte[] { (byte) 0xff }, job))).isEqualTo("topic#3#17");
	}

	@Test
	void refusesTombstonesAndBytesThatAreNotUtf8() {
		byte[] notUtf8 = { '{', '"', 't', 'i', 't', 'l', 'e', '"', ':', '"', (byte) 0xff, '"', '}' };

		assertThat(refusal(Records.record("id", null)).fault()).isEqualTo(Fault.NOT_JSON);
		assertThat(refusal(Records.record(null, notUtf8)).fault()).isEqualTo(Fault.NOT_JSON);
	}

	@Test
	void refusesNestingBeyond64Levels() throws RefusedDocumentException {
		this.parser.parse(Records.record("id", nested(64)));

		assertThat(refusal(Records.record("id", nested(65))).detail()).contains("64 levels");
		assertThat(refusal(Records.record("id", nested(100_000))).detail()).contains("64 levels");
	}

	@Test
	void refusesADocumentBeyond16MiB() {
		String zeros = "{\"title\":\"a\",\"n\":[0" + ",0".repeat(1_500_000) + "]}";

		assertThatExceptionOfType(RefusedDocumentException.class)
			.isThrownBy(() -> Records.parser(Clock.systemUTC(), 1 << 24).parse(Records.record("id", zeros)))
			.satisfies((refusal) -> assertThat(refusal.detail()).contains("16 MiB"));
	}

	@Test
	void refusesNamesAndNumbersOfUnboundedLength() {
		assertThat(refusal(Records.record("id", "{\"title\":\"a\",\"" + "x".repeat(60_000) + "\":1}")).detail())
			.contains("is longer than");
		assertThat(refusal(Records.record("id", "{\"title\":\"a\",\"n\":" + "1".repeat(1500) + "}")).detail())
			.contains("is longer than");
		assertThat(refusal(Records.record("id", "{\"title\":\"a\",\"n\":0." + "1".repeat(1500) + "}")).detail())
			.contains("is longer than");
	}

	@Test
	void doesNotRefuseAJobForTheNamesOfTheJobsBeforeIt() throws RefusedDocumentException {
		for (String job : HostileJobs.withCollidingNames()) {
			assertThat(this.parser.parse(Records.record("id", job)).document()).hasSize(203);
		}
	}

	@Test
	void refusesAKeyThatMakesTheDocumentTooLarge() {
		assertThat(refusal(Records.record("k".repeat(17_000_000), "{\"title\":\"a\"}")).detail()).contains("16 MiB");
	}

	private String id(ConsumerRecord<byte[], byte[]> record) throws RefusedDocumentException {
		return this.parser.parse(record).id().asString().getValue();
	}

	private RefusedDocumentException refusal(ConsumerRecord<byte[], byte[]> record) {
		return assertThatExceptionOfType(RefusedDocumentException.class).isThrownBy(() -> this.parser.parse(record))
			.actual();
	}

	private static String nested(int levels) {
		return "{\"title\":\"a\",\"a\":" + "[".repeat(levels - 1) + "]".repeat(levels - 1) + "}";
	}

	private static int compare(JsonNode one, JsonNode other) {
		if (one.isNumber() && other.isNumber()) {
			BigDecimal value = one.decimalValue();
			return value.compareTo(other.decimalValue());
		}
		return one.equals(other) ? 0 : 1;
	}

}
