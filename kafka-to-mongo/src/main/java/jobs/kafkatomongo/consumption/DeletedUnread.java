package jobs.kafkatomongo.consumption;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the records that Kafka has deleted before they were read, and those that
 * somebody else has committed, and logs where.
 */
class DeletedUnread {

	private static final Logger logger = LoggerFactory.getLogger(DeletedUnread.class);

	private final MeterRegistry meters;

	DeletedUnread(MeterRegistry meters) {
		this.meters = meters;
	}

	/** Begins to report a partition, with nothing deleted and nothing passed over. */
	void register(TopicPartition partition) {
		counter(partition);
		passedOver(partition);
	}

	/**
	 * Looks at a partition whose records begin at another offset than a consumer wants.
	 * Without an offset nothing tells whether the records before were read: Kafka forgets
	 * the commits of a group that is away for a week, so they count.
	 */
	void count(TopicPartition partition, @Nullable Long offset, long beginning) {
		if (offset == null && beginning > 0) {
			counter(partition).increment(beginning);
			log(partition, -1, beginning,
					"The first records are deleted and nothing is committed; they may not have been read");
		}
		else if (offset != null && beginning > offset) {
			counter(partition).increment(beginning - offset);
			log(partition, offset, beginning, "Kafka has deleted records that were not read");
		}
		else if (offset != null) {
			log(partition, offset, beginning, "A partition ends before what was read; it is read from its beginning");
		}
	}

	/**
	 * Counts records that somebody else has committed, and that are read from here on.
	 */
	void countPassedOver(TopicPartition partition, long committed, long next) {
		passedOver(partition).increment(committed - next);
		log(partition, committed, next,
				"Somebody else has committed beyond what is stored; it is read again from there");
	}

	private Counter passedOver(TopicPartition partition) {
		return Counter.builder("jobs.passed.over")
			.description("Records that another member of the group has committed, and that are read again")
			.tag("topic", partition.topic())
			.register(this.meters);
	}

	static void log(TopicPartition partition, long offset, long beginning, String what) {
		logger.atError()
			.addKeyValue("partition", partition)
			.addKeyValue("committed", offset)
			.addKeyValue("beginning", beginning)
			.log(what);
	}

	private Counter counter(TopicPartition partition) {
		return Counter.builder("jobs.deleted.unread")
			.description("Records that Kafka deleted before they were read")
			.tag("topic", partition.topic())
			.tag("partition", Integer.toString(partition.partition()))
			.register(this.meters);
	}

}
