package jobs.kafkatomongo;

import java.util.List;
import java.util.Locale;

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
record DeadLetter(ConsumerRecord<byte[], byte[]> record, Reason reason, String detail, List<String> pointers,
		@Nullable Integer code) {

	private static final int MAX_DETAIL = 1000;

	DeadLetter(ConsumerRecord<byte[], byte[]> record, Reason reason, String detail, @Nullable Integer code) {
		this(record, reason, detail, List.of(), code);
	}

	DeadLetter(ConsumerRecord<byte[], byte[]> record, BadJobException failure) {
		this(record, failure.reason(), failure.detail(), failure.pointers(), null);
	}

	String position() {
		return JobParser.position(this.record);
	}

	String shortDetail() {
		return this.detail.substring(0, Math.min(this.detail.length(), MAX_DETAIL));
	}

	/**
	 * Why a record can't be stored.
	 */
	enum Reason {

		/** Not one JSON object in UTF-8. */
		NOT_JSON,

		/** JSON that breaks the contract or can't be kept unchanged. */
		CONTRACT,

		/** Another job is stored under the same id: one Idempotency-Key, two jobs. */
		CONFLICT,

		/** MongoDB refuses this very document. */
		MONGODB;

		/**
		 * The reason as it stands in the header.
		 */
		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT).replace('_', '-');
		}

	}

}
