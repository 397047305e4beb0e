package jobs.kafkatomongo.deadletter;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import com.mongodb.client.model.Filters;
import jobs.contract.HeaderNames;
import jobs.contract.resources.Resource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.record.TimestampType;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/**
 * The record that the document of a dead letter keeps. Parts may be missing, or edited by
 * somebody in the Mongo shell.
 */
public record KeptRecord(BsonDocument deadLetter) {

	/** The number of headers that were left out. */
	static final String HEADERS_LEFT_OUT = "headersLeftOut";

	/** The fields that tell which parts were too large to keep. */
	private static final List<String> LEFT_OUT = List.of(DeadLetterFact.KEY_LEFT_OUT.field,
			DeadLetterFact.VALUE_LEFT_OUT.field, HEADERS_LEFT_OUT);

	/**
	 * Narrows a filter to dead letters whose whole record was kept, as far as a query can
	 * tell. Documents of other programs, whose id is no string, are left out.
	 */
	public static Bson wholeOnes(Bson filter) {
		return Filters.and(filter, Filters.gte("_id", ""),
				Filters.and(LEFT_OUT.stream().map((name) -> Filters.exists(name, false)).toList()));
	}

	/** The id of the dead letter, which is the position of the original record. */
	public String id() {
		return this.deadLetter.getString("_id").getValue();
	}

	/** The path of the dead letter of a resource over HTTP, URL-encoded. */
	public String path(Resource resource) {
		return resource.deadLettersPath() + "/" + URLEncoder.encode(id(), StandardCharsets.UTF_8);
	}

	/** The id of the document, for a dead letter that {@link #hasIdentity}. */
	public String documentId() {
		return this.deadLetter.getString("job").getValue();
	}

	/**
	 * Whether the record can be published again unchanged. A document without a value
	 * stands for a record without a value.
	 */
	public boolean isWhole() {
		return hasIdentity() && LEFT_OUT.stream().noneMatch(this.deadLetter::containsKey)
				&& isContent(this.deadLetter.get("value"));
	}

	/**
	 * Whether the record can be published again with another value. Without its key it
	 * would be another document.
	 */
	public boolean hasIdentity() {
		return !this.deadLetter.containsKey(DeadLetterFact.KEY_LEFT_OUT.field) && this.deadLetter.isString("job")
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
	 * The record as a consumer would get it, with the correction, if there is one, as its
	 * value.
	 */
	public ConsumerRecord<byte[], byte[]> toCheck(Resource resource, byte @Nullable [] correction) {
		ProducerRecord<byte[], byte[]> record = toPublish(resource, correction);
		return new ConsumerRecord<>(resource.topic(), 0, 0, ConsumerRecord.NO_TIMESTAMP,
				TimestampType.NO_TIMESTAMP_TYPE, ConsumerRecord.NULL_SIZE, ConsumerRecord.NULL_SIZE, record.key(),
				record.value(), record.headers(), Optional.empty());
	}

	/**
	 * The record to publish, with the correction, if there is one, as its value. Its key
	 * is the document's id: the original's key may have been missing or no text, and then
	 * the position has made the id.
	 */
	public ProducerRecord<byte[], byte[]> toPublish(Resource resource, byte @Nullable [] correction) {
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(resource.topic(), key(), value(correction));
		this.deadLetter.getArray("headers").forEach((header) -> {
			String name = header.asDocument().getString("name").getValue();
			boolean isOutdated = correction != null && name.equals(HeaderNames.CONTRACT);
			if (!name.equals(DeadLetterFact.REPLAY_OF.header) && !isOutdated) {
				record.headers().add(name, bytes(header.asDocument().get("value")));
			}
		});
		record.headers().add(DeadLetterFact.REPLAY_OF.header, id().getBytes(StandardCharsets.UTF_8));
		if (resource.hasVersions()) {
			addVersion(record);
		}
		return record;
	}

	/**
	 * A deletion by its timestamp stays that deletion, at whatever time it is replayed.
	 */
	private void addVersion(ProducerRecord<byte[], byte[]> record) {
		String acceptedAt = DeadLetterFact.TIMESTAMP.field;
		if (record.value() == null && record.headers().lastHeader(HeaderNames.VERSION) == null
				&& this.deadLetter.isDateTime(acceptedAt)) {
			String version = Long.toString(this.deadLetter.getDateTime(acceptedAt).getValue());
			record.headers().add(HeaderNames.VERSION, version.getBytes(StandardCharsets.US_ASCII));
		}
	}

	private byte @Nullable [] value(byte @Nullable [] correction) {
		return (correction != null) ? correction : bytes(this.deadLetter.get("value"));
	}

	private byte[] key() {
		return documentId().getBytes(StandardCharsets.UTF_8);
	}

	private static byte @Nullable [] bytes(@Nullable BsonValue value) {
		if (value == null) {
			return null;
		}
		return value.isBinary() ? value.asBinary().getData()
				: value.asString().getValue().getBytes(StandardCharsets.UTF_8);
	}

}
