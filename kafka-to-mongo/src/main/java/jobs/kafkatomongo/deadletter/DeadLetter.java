package jobs.kafkatomongo.deadletter;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

import jobs.contract.NotAJobException;
import jobs.contract.NotAJobException.Fault;
import jobs.contract.Violation;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.limits.Limits;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record whose data can't be stored.
 *
 * @param record the record as it was consumed
 * @param reason why, in a word
 * @param detail why, in a sentence
 * @param pointers the JSON Pointers of the fields at fault, where they are known
 * @param code MongoDB's error code, where MongoDB refused the document
 */
public record DeadLetter(ConsumerRecord<byte[], byte[]> record, Reason reason, String detail, List<String> pointers,
		@Nullable Integer code) {

	/**
	 * Makes a dead letter that no field is known to blame for.
	 * @param record the record
	 * @param reason why, in a word
	 * @param detail why, in a sentence
	 * @param code MongoDB's error code, or {@code null}
	 */
	public DeadLetter(ConsumerRecord<byte[], byte[]> record, Reason reason, String detail, @Nullable Integer code) {
		this(record, reason, detail, List.of(), code);
	}

	/**
	 * Makes a dead letter of a record that is no job.
	 * @param record the record
	 * @param failure what is wrong with it
	 */
	public DeadLetter(ConsumerRecord<byte[], byte[]> record, NotAJobException failure) {
		this(record, Reason.of(failure.fault()), detail(failure),
				failure.violations().stream().map(Violation::pointer).distinct().toList(), null);
	}

	private static String detail(NotAJobException failure) {
		return failure.violations().isEmpty() ? failure.detail()
				: failure.violations()
					.stream()
					.map((rule) -> rule.pointer() + " " + rule.detail())
					.collect(Collectors.joining("; "));
	}

	String position() {
		return RecordPosition.of(this.record).toString();
	}

	String shortDetail() {
		return this.detail.substring(0, Math.min(this.detail.length(), Limits.DETAIL.count()));
	}

	/**
	 * Why a record can't be stored.
	 */
	public enum Reason {

		/** Not one JSON object in UTF-8. */
		NOT_JSON,

		/** JSON that breaks the contract or can't be kept unchanged. */
		CONTRACT,

		/** Another job is stored under the same id: one Idempotency-Key, two jobs. */
		CONFLICT,

		/** MongoDB refuses this very document. */
		MONGODB;

		/**
		 * The reason that a fault of the data is.
		 * @param fault the fault
		 * @return the reason
		 */
		public static Reason of(Fault fault) {
			return (fault == Fault.NOT_JSON) ? NOT_JSON : CONTRACT;
		}

		/**
		 * The reason as it stands in the header.
		 */
		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

}
