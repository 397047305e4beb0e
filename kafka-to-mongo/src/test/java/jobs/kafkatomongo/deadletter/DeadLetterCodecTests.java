package jobs.kafkatomongo.deadletter;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.deadletter.DeadLetterCodec.Form;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** A dead letter keeps its original through the topic and the collection. */
class DeadLetterCodecTests {

	/** Else it would be a deletion of the time of the replay. */
	@Test
	void replaysADeletionAsTheOneThatItWas() {
		ConsumerRecord<byte[], byte[]> original = Records.record(7, Records.utf8("A"), null);
		DeadLetter deadLetter = new DeadLetter(original, DeadLetter.Reason.NOT_JSON, "no value", List.of(), null,
				"own");
		ProducerRecord<byte[], byte[]> record = DeadLetterCodec.toRecord("dlt", deadLetter, Form.WHOLE);

		BsonDocument document = DeadLetterCodec.toDocument(new ConsumerRecord<>("dlt", 0, 0, 0,
				TimestampType.CREATE_TIME, 0, 0, record.key(), record.value(), record.headers(), Optional.empty()),
				1 << 20);

		KeptRecord kept = new KeptRecord(document);
		assertThat(kept.documentId()).isEqualTo("own");
		assertThat(new String(kept.toPublish(Records.orders("orders"), null).headers().lastHeader("version").value(),
				StandardCharsets.US_ASCII))
			.isEqualTo(Long.toString(original.timestamp()));
		assertThat(kept.toPublish(Records.orders("orders"), new byte[] { 1 }).headers().lastHeader("version")).isNull();
	}

	private static final int MAX_SIZE = 1_000_000;

	private static final byte[] NO_TEXT = { (byte) 0xff, 0, 1 };

	static Stream<byte @Nullable []> contents() {
		return Stream.of(null, new byte[0], "{\"title\":\"Ärztin\"}".getBytes(StandardCharsets.UTF_8), NO_TEXT);
	}

	@ParameterizedTest
	@MethodSource("contents")
	void givesBackTheRecordThatItWasMadeFrom(byte @Nullable [] value) {
		ConsumerRecord<byte[], byte[]> original = original("ann".getBytes(StandardCharsets.UTF_8), value);
		KeptRecord kept = new KeptRecord(document(original, Form.WHOLE));
		assertThat(kept.isWhole()).isTrue();
		ProducerRecord<byte[], byte[]> again = kept.toPublish(Records.jobs("jobs"), null);
		assertThat(again.key()).isEqualTo(original.key());
		assertThat(again.value()).isEqualTo(value);
		List<Header> headers = Arrays.asList(again.headers().toArray());
		assertThat(headers.subList(0, 2)).isEqualTo(Arrays.asList(original.headers().toArray()));
		assertThat(headers.getLast().key()).isEqualTo("replay-of");
		assertThat(new String(headers.getLast().value(), StandardCharsets.UTF_8)).isEqualTo("jobs#3#42");
	}

	@ParameterizedTest
	@EnumSource(names = "WHOLE", mode = EnumSource.Mode.EXCLUDE)
	void tellsWhatASmallerFormLeavesOut(Form form) {
		BsonDocument document = document(original(new byte[DeadLetterCodec.KEY_BYTES + 1], new byte[7]), form);
		assertThat(document.getInt32("valueLeftOut").getValue()).isEqualTo(7);
		assertThat(document).doesNotContainKeys("value", "key");
		// what the collection leaves out in any case, a bare record does not even have
		assertThat(document.getInt32("keyLeftOut").getValue()).isEqualTo(DeadLetterCodec.KEY_BYTES + 1);
		assertThat(document.getArray("headers")).hasSize((form == Form.BARE) ? 0 : 2);
		assertThat(new KeptRecord(document).hasIdentity()).isFalse();
	}

	/** A topic with {@code cleanup.policy=compact} takes no record without a key. */
	@ParameterizedTest
	@EnumSource
	void givesEveryRecordAKey(Form form) {
		ProducerRecord<byte[], byte[]> withoutKey = record(original(null, new byte[7]), form);
		ProducerRecord<byte[], byte[]> large = record(original(new byte[DeadLetterCodec.KEY_BYTES + 1], new byte[7]),
				form);

		assertThat(withoutKey.key()).asString(StandardCharsets.UTF_8).isEqualTo("jobs#3#42");
		assertThat(large.key()).isNotNull();
		assertThat(document(original(null, new byte[7]), form)).doesNotContainKeys("key", "keyLeftOut");
	}

	@Test
	void writesEachFactInBothShapes() {
		BsonDocument document = document(original(null, NO_TEXT), Form.WHOLE);
		assertThat(document.toJson()).isEqualTo("{\"_id\": \"jobs#3#42\", \"job\": \"jobs#3#42\", \"state\": \"open\","
				+ " \"reason\": \"mongodb\", \"detail\": \"It is refused\", \"pointers\": [\"/a\", \"/b~1c\"],"
				+ " \"code\": 121, \"acceptedAt\": {\"$date\": \"1970-01-01T00:00:05Z\"},"
				+ " \"value\": {\"$binary\": {\"base64\": \"/wAB\", \"subType\": \"00\"}},"
				+ " \"headers\": [{\"name\": \"traceparent\", \"value\": \"00-1\"}, {\"name\": \"empty\"}]}");
	}

	@Test
	void readsARecordThatAnotherProgramWrote() {
		RecordHeaders headers = new RecordHeaders();
		headers.add(DeadLetterFact.POINTERS.header, "no JSON".getBytes(StandardCharsets.UTF_8));
		headers.add(DeadLetterFact.CODE.header, "no number".getBytes(StandardCharsets.UTF_8));
		headers.add(DeadLetterFact.VALUE_LEFT_OUT.header, "12345678901".getBytes(StandardCharsets.UTF_8));
		headers.add(DeadLetterFact.TIMESTAMP.header, null);
		headers.add(DeadLetterFact.REASON.header, NO_TEXT);
		BsonDocument document = DeadLetterCodec.toDocument(new ConsumerRecord<>("dlt", 0, 1, 2,
				TimestampType.CREATE_TIME, 0, 0, null, null, headers, Optional.empty()), MAX_SIZE);
		assertThat(document.toJson()).isEqualTo("{\"_id\": \"dlt#0#1\", \"job\": \"dlt#0#1\", \"state\": \"open\","
				+ " \"reason\": \"unknown\", \"detail\": \"This record came without a reason to the topic\","
				+ " \"pointers\": [\"no JSON\"], \"headers\": []}");
	}

	@Test
	void leavesOutAValueAboveItsBound() {
		BsonDocument document = DeadLetterCodec.toDocument(original(null, new byte[11]), 10);
		assertThat(document.getInt32("valueLeftOut").getValue()).isEqualTo(11);
		assertThat(document).doesNotContainKey("value");
	}

	@Test
	void keepsALargerValueThatRestToKafkaAccepted() {
		ConsumerRecord<byte[], byte[]> accepted = original(null, new byte[11]);
		accepted.headers().add("contract", "0".repeat(64).getBytes(StandardCharsets.UTF_8));

		KeptRecord kept = new KeptRecord(DeadLetterCodec.toDocument(accepted, 10));

		assertThat(kept.isWhole()).isTrue();
		assertThat(kept.toCheck(Records.jobs("jobs"), null).headers().lastHeader("contract")).isNotNull();
		assertThat(kept.toCheck(Records.jobs("jobs"), new byte[1]).headers().lastHeader("contract")).isNull();
	}

	private static ConsumerRecord<byte[], byte[]> original(byte @Nullable [] key, byte @Nullable [] value) {
		RecordHeaders headers = new RecordHeaders();
		headers.add("traceparent", "00-1".getBytes(StandardCharsets.UTF_8));
		headers.add("empty", null);
		return new ConsumerRecord<>("jobs", 3, 42, 5000, TimestampType.CREATE_TIME, 0, 0, key, value, headers,
				Optional.empty());
	}

	private static ProducerRecord<byte[], byte[]> record(ConsumerRecord<byte[], byte[]> original, Form form) {
		return DeadLetterCodec.toRecord("dlt",
				new DeadLetter(original, DeadLetter.Reason.MONGODB, "It is refused", List.of("/a", "/b~1c"), 121, null),
				form);
	}

	/** The document after the way through the topic. */
	private static BsonDocument document(ConsumerRecord<byte[], byte[]> original, Form form) {
		ProducerRecord<byte[], byte[]> sent = record(original, form);
		return DeadLetterCodec.toDocument(new ConsumerRecord<>("dlt", 0, 9, 6000, TimestampType.CREATE_TIME, 0, 0,
				sent.key(), sent.value(), sent.headers(), Optional.empty()), MAX_SIZE);
	}

}
