package jobs.kafkatomongo;

import java.util.Locale;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record whose data can't be stored.
 *
 * @param record the record as it was consumed
 * @param reason why, in a word
 * @param detail why, in a sentence
 * @param code MongoDB's error code, where MongoDB refused the document
 */
record DeadLetter(ConsumerRecord<byte[], byte[]> record, Reason reason, String detail, @Nullable Integer code) {

	private static final int MAX_DETAIL = 1000;

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
