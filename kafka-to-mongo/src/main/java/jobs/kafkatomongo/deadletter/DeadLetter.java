package jobs.kafkatomongo.deadletter;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import jobs.contract.RefusedDocumentException;
import jobs.contract.RefusedDocumentException.Fault;
import jobs.contract.Violation;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.RecordPosition;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record whose data can't be stored, with JSON Pointers to the fields at fault and
 * MongoDB's error code where these are known.
 *
 * @param ownId the id that the document itself has, where it is known and not that of the
 * record's key
 */
public record DeadLetter(ConsumerRecord<byte[], byte[]> record, Reason reason, String detail, List<String> pointers,
		@Nullable Integer code, @Nullable String ownId) {

	/** Characters of what is said of a dead letter. */
	private static final int DETAIL_CHARACTERS = 1000;

	/** The reason of a record that reached the topic without one. */
	public static final String UNKNOWN = "unknown";

	/** Makes one that names no field. */
	public DeadLetter(ConsumerRecord<byte[], byte[]> record, Reason reason, String detail, @Nullable Integer code) {
		this(record, reason, detail, List.of(), code, null);
	}

	/** Makes the dead letter of a document that MongoDB does not take. */
	public DeadLetter(ParsedRecord parsed, Reason reason, String detail, @Nullable Integer code) {
		this(parsed.record(), reason, detail, List.of(), code, ownId(parsed));
	}

	private static @Nullable String ownId(ParsedRecord parsed) {
		String id = parsed.id().asString().getValue();
		return id.equals(RecordPosition.documentId(parsed.record())) ? null : id;
	}

	/** Makes the dead letter of a record that is no document. */
	public DeadLetter(ConsumerRecord<byte[], byte[]> record, RefusedDocumentException failure) {
		this(record, Reason.of(failure.fault()), detail(failure),
				failure.violations().stream().map(Violation::pointer).distinct().toList(), null, null);
	}

	private static String detail(RefusedDocumentException failure) {
		return failure.violations().isEmpty() ? failure.detail()
				: failure.violations()
					.stream()
					.map((rule) -> rule.pointer() + " " + rule.detail())
					.collect(Collectors.joining("; "));
	}

	/** The id that the document would have got. */
	public String documentId() {
		return (this.ownId != null) ? this.ownId : RecordPosition.documentId(this.record);
	}

	String position() {
		return RecordPosition.of(this.record).toString();
	}

	String identity() {
		return RecordPosition.identity(this.record);
	}

	String shortDetail() {
		return this.detail.substring(0, Math.min(this.detail.length(), DETAIL_CHARACTERS));
	}

	/** Why a record can't be stored. */
	public enum Reason {

		/** The value is not one JSON object in UTF-8. */
		NOT_JSON,

		/** The value breaks the contract or can't be kept unchanged. */
		CONTRACT,

		/**
		 * Another document is stored under this id: two documents share an
		 * Idempotency-Key.
		 */
		CONFLICT,

		/** MongoDB refuses this document. */
		MONGODB,

		/** This service can't read the record, for a fault of its own. */
		INTERNAL;

		/** The reason for a fault of the data. */
		public static Reason of(Fault fault) {
			return (fault == Fault.NOT_JSON) ? NOT_JSON : CONTRACT;
		}

		/** The reason as the header {@code dlt-reason} has it. */
		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

	/** The last action of somebody on a dead letter. */
	public enum State {

		/** Nobody has acted on it. */
		OPEN,

		/** It was published again, unchanged or corrected. */
		REPLAYED,

		/** Somebody found it to be of no use. */
		DISCARDED,

		/** Somebody had its content erased; it stays so. */
		ERASED;

		/** The state as the document has it. */
		public String text() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

}
