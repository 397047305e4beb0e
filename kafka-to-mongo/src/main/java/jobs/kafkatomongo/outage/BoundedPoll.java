package jobs.kafkatomongo.outage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import jobs.kafkatomongo.limits.Limits;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Gathers a batch from small polls until it has enough records or bytes. One large poll
 * is bounded in records alone, and a fetch in bytes before they are decompressed: a
 * megabyte from Kafka may become a gigabyte of records.
 */
final class BoundedPoll {

	private final Consumer<byte[], byte[]> consumer;

	private final int atOnce;

	private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> gathered = new HashMap<>();

	private final Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();

	/**
	 * Prepares for a consumer whose {@code max.poll.records} are {@code atOnce}. One that
	 * has more of them, as that of the dead letters, is left as it is.
	 */
	BoundedPoll(Consumer<byte[], byte[]> consumer, int atOnce) {
		this.consumer = consumer;
		this.atOnce = atOnce;
	}

	/**
	 * Waits for records as the consumer itself, then adds what is fetched already up to
	 * {@link Limits#BATCH_RECORDS} and {@link Limits#BATCH_BYTES}. Throws what the first
	 * poll throws; a failure after it ends the batch, and comes again with the next.
	 */
	ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
		ConsumerRecords<byte[], byte[]> records = this.consumer.poll(timeout);
		if (!isMore(records)) {
			return records;
		}
		try {
			gather(records);
			return new ConsumerRecords<>(new HashMap<>(this.gathered), new HashMap<>(this.next));
		}
		finally {
			this.gathered.clear();
			this.next.clear();
		}
	}

	private void gather(ConsumerRecords<byte[], byte[]> first) {
		ConsumerRecords<byte[], byte[]> records = first;
		long bytes = add(records);
		for (int count = records.count(); isMore(records) && count + this.atOnce <= Limits.BATCH_RECORDS
				&& bytes < Limits.BATCH_BYTES; count += records.count()) {
			try {
				records = this.consumer.poll(Duration.ZERO);
				bytes += add(records);
			}
			catch (KafkaException ex) {
				return;
			}
		}
	}

	/** Forgets what was gathered from partitions that are another consumer's now. */
	void revoked(Collection<TopicPartition> partitions) {
		this.gathered.keySet().removeAll(partitions);
		this.next.keySet().removeAll(partitions);
	}

	/** The same records, but for those of some partitions. */
	static ConsumerRecords<byte[], byte[]> without(Set<TopicPartition> partitions,
			ConsumerRecords<byte[], byte[]> records) {
		Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> left = new HashMap<>();
		Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(records.nextOffsets());
		next.keySet().removeAll(partitions);
		for (TopicPartition partition : records.partitions()) {
			if (!partitions.contains(partition)) {
				left.put(partition, records.records(partition));
			}
		}
		return new ConsumerRecords<>(left, next);
	}

	private boolean isMore(ConsumerRecords<byte[], byte[]> last) {
		return last.count() == this.atOnce;
	}

	private long add(ConsumerRecords<byte[], byte[]> records) {
		long bytes = 0;
		for (TopicPartition partition : records.partitions()) {
			List<ConsumerRecord<byte[], byte[]>> all = this.gathered.computeIfAbsent(partition,
					(_) -> new ArrayList<>());
			for (ConsumerRecord<byte[], byte[]> record : records.records(partition)) {
				all.add(record);
				bytes += bytes(record);
			}
		}
		this.next.putAll(records.nextOffsets());
		return bytes;
	}

	private static long bytes(ConsumerRecord<byte[], byte[]> record) {
		long bytes = length(record.key()) + length(record.value());
		for (Header header : record.headers()) {
			bytes += header.key().length() + length(header.value());
		}
		return bytes;
	}

	private static long length(byte @Nullable [] bytes) {
		return (bytes != null) ? bytes.length : 0;
	}

}
