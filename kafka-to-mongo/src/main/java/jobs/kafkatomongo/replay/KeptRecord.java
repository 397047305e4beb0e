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
 * What the document of a dead letter keeps of its record. Parts may be missing, or edited
 * by somebody in the Mongo shell.
 */
record KeptRecord(BsonDocument deadLetter) {

	private static final String KEY_LEFT_OUT = "keyLeftOut";

	/** The fields that tell which parts were too large to keep. */
	private static final List<String> LEFT_OUT = List.of(KEY_LEFT_OUT, "valueLeftOut", "headersLeftOut");

	/**
	 * Narrows a filter to dead letters whose whole record was kept, as far as a query can
	 * tell. Documents of other programs, whose id is no string, are left out.
	 */
	static Bson wholeOnes(Bson filter) {
		return Filters.and(filter, Filters.gte("_id", ""),
				Filters.and(LEFT_OUT.stream().map((name) -> Filters.exists(name, false)).toList()));
	}

	String id() {
		return this.deadLetter.getString("_id").getValue();
	}

	/**
	 * Whether the record can be published again unchanged. A document without a value
	 * stands for a record without a value.
	 */
	boolean isWhole() {
		return hasIdentity() && LEFT_OUT.stream().noneMatch(this.deadLetter::containsKey)
				&& isContent(this.deadLetter.get("value"));
	}

	/**
	 * Whether the record can be published again with another value. Without its key it
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
	 * The key to publish is the job's id. The record's own key may have been missing or
	 * no text; then its position made the id.
	 */
	private byte[] key() {
		return DeadLetterDocument.bytes(this.deadLetter.getString("job"));
	}

	/** The record as a consumer would get it, with a correction as its value. */
	ConsumerRecord<byte[], byte[]> corrected(String topic, byte[] correction) {
		return new ConsumerRecord<>(topic, 0, 0, key(), correction);
	}

	/** The record to publish, with the correction, if there is one, as its value. */
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
