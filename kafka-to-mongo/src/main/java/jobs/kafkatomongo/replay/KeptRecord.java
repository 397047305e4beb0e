package jobs.kafkatomongo.replay;

import java.nio.charset.StandardCharsets;
import java.util.List;

import com.mongodb.client.model.Filters;
import jobs.kafkatomongo.deadletter.DeadLetterDocument;
import jobs.kafkatomongo.deadletter.DeadLetterHeaders;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * What the document of a dead letter has kept of its record. It may be less than all, or
 * edited by somebody in the Mongo shell.
 *
 * @param deadLetter the document
 */
record KeptRecord(BsonDocument deadLetter) {

	private static final String KEY_LEFT_OUT = "keyLeftOut";

	/** The fields that tell what was too large to be kept. */
	private static final List<String> LEFT_OUT = List.of(KEY_LEFT_OUT, "valueLeftOut", "headersLeftOut");

	/**
	 * Those of a filter of which, as far as a query can tell, the whole record was kept.
	 * Documents whose id is no string are not ours and are left out.
	 */
	static Bson wholeOnes(Bson filter) {
		return Filters.and(filter, Filters.gte("_id", ""),
				Filters.and(LEFT_OUT.stream().map((name) -> Filters.exists(name, false)).toList()));
	}

	String id() {
		return this.deadLetter.getString("_id").getValue();
	}

	/**
	 * Whether the record can be published again as it was. Without a value it was a
	 * record without one.
	 */
	boolean isWhole() {
		return hasIdentity() && LEFT_OUT.stream().noneMatch(this.deadLetter::containsKey)
				&& isContent(this.deadLetter.get("value"));
	}

	/**
	 * Whether the record can be published again with another value: without its key it
	 * would be another job.
	 */
	boolean hasIdentity() {
		return !this.deadLetter.containsKey(KEY_LEFT_OUT) && this.deadLetter.isString("job")
				&& this.deadLetter.isArray("headers")
				&& this.deadLetter.getArray("headers").stream().allMatch(KeptRecord::isHeader);
	}

	private static boolean isHeader(BsonValue header) {
		return header.isDocument() && header.asDocument().isString("name")
				&& isContent(header.asDocument().get("value"));
	}

	private static boolean isContent(@Nullable BsonValue value) {
		return value == null || value.isString() || value.isBinary();
	}

	/**
	 * The key to publish: the job's id. The key of the record may have been missing, or
	 * no text; then its position made the id.
	 */
	private byte[] key() {
		return DeadLetterDocument.bytes(this.deadLetter.getString("job"));
	}

	/**
	 * The record as a consumer would get it, with a correction for its value.
	 */
	ConsumerRecord<byte[], byte[]> corrected(String topic, byte[] correction) {
		return new ConsumerRecord<>(topic, 0, 0, key(), correction);
	}

	/**
	 * The record to publish.
	 * @param topic where
	 * @param correction another value, or {@code null}
	 */
	ProducerRecord<byte[], byte[]> toPublish(String topic, byte @Nullable [] correction) {
		byte @Nullable [] value = (correction != null) ? correction : bytes(this.deadLetter.get("value"));
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, key(), value);
		this.deadLetter.getArray("headers").forEach((header) -> {
			String name = header.asDocument().getString("name").getValue();
			if (!name.equals(DeadLetterHeaders.REPLAY_OF)) {
				record.headers().add(name, bytes(header.asDocument().get("value")));
			}
		});
		record.headers().add(DeadLetterHeaders.REPLAY_OF, id().getBytes(StandardCharsets.UTF_8));
		return record;
	}

	private static byte @Nullable [] bytes(@Nullable BsonValue value) {
		return (value != null) ? DeadLetterDocument.bytes(value) : null;
	}

}
