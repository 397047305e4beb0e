package jobs.kafkatomongo.consumption;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Gathers a batch from small polls until it has enough records or bytes. One large poll
 * is bounded in records alone, and a fetch in bytes before they are decompressed: a
 * megabyte from Kafka may become a gigabyte of records.
 */
public final class BoundedPoll {

	/** Records of a batch, which is stored and committed together. */
	public static final int BATCH_RECORDS = 4000;

	/**
	 * Bytes of a batch after which it ends, whatever its records were compressed to; less
	 * where there are several resources.
	 */
	public static final int BATCH_BYTES = 1024 * 1024;

	/**
	 * Kafka answers a fetch with the first record that comes. While a batch is stored for
	 * longer than this, others come, and would wait for one more batch.
	 */
	private static final long ABSENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/** Those that came meanwhile are waited for by this part of the absence. */
	private static final int PART_OF_ABSENCE = 10;

	/** The longest such wait. */
	private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

	/** A poll that took longer has waited for its records, which are new then. */
	private static final long AT_ONCE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

	private final Consumer<byte[], byte[]> consumer;

	private final int atOnce;

	private final int batchBytes;

	private final LongSupplier nanos;

	private final Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> gathered = new HashMap<>();

	private final Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();

	/** When the last batch was handed out. */
	private long handedOut;

	/**
	 * Prepares for a consumer whose {@code max.poll.records} are {@code atOnce}, and
	 * whose batches end after so many bytes. One that has more of them, as that of the
	 * dead letters, gets at most one poll beyond that.
	 */
	BoundedPoll(Consumer<byte[], byte[]> consumer, int atOnce, int batchBytes, LongSupplier nanos) {
		this.consumer = consumer;
		this.atOnce = atOnce;
		this.batchBytes = batchBytes;
		this.nanos = nanos;
		this.handedOut = nanos.getAsLong();
	}

	/**
	 * Waits for records as the consumer itself, then adds what is fetched already up to
	 * {@link #BATCH_RECORDS} and the bytes of a batch, and after a batch that took long
	 * also what has come since. Throws what the first poll throws; a failure after it
	 * ends the batch, and comes again with the next.
	 */
	ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
		try {
			long start = this.nanos.getAsLong();
			ConsumerRecords<byte[], byte[]> records = this.consumer.poll(timeout);
			Duration wait = meanwhile(start);
			if (records.isEmpty() || records.count() > this.atOnce || (!isMore(records) && wait.isZero())) {
				return records;
			}
			gather(records, wait);
			return new ConsumerRecords<>(new HashMap<>(this.gathered), new HashMap<>(this.next));
		}
		finally {
			this.gathered.clear();
			this.next.clear();
			this.handedOut = this.nanos.getAsLong();
		}
	}

	/** How long to wait for what came during an absence, after a poll that began then. */
	private Duration meanwhile(long start) {
		long absence = start - this.handedOut;
		boolean fetchedBefore = this.nanos.getAsLong() - start < AT_ONCE_NANOS;
		return (absence > ABSENCE_NANOS && fetchedBefore)
				? Duration.ofNanos(Math.min(absence / PART_OF_ABSENCE, WAIT_NANOS)) : Duration.ZERO;
	}

	private void gather(ConsumerRecords<byte[], byte[]> first, Duration wait) {
		ConsumerRecords<byte[], byte[]> records = first;
		Duration unspent = wait;
		long bytes = add(records);
		int count = records.count();
		while ((isMore(records) || !unspent.isZero()) && count + this.atOnce <= BATCH_RECORDS
				&& bytes < this.batchBytes) {
			Duration timeout = isMore(records) ? Duration.ZERO : unspent;
			unspent = isMore(records) ? unspent : Duration.ZERO;
			try {
				records = this.consumer.poll(timeout);
			}
			catch (RuntimeException ex) {
				// whatever it is: what was gathered is behind the consumer's position
				return;
			}
			bytes += add(records);
			count += records.count();
		}
	}

	/** Forgets what was gathered from partitions that are another consumer's now. */
	void revoked(Collection<TopicPartition> partitions) {
		this.gathered.keySet().removeAll(partitions);
		this.next.keySet().removeAll(partitions);
	}

	/** The same records, but for those of some partitions. */
	static <K, V> ConsumerRecords<K, V> without(Set<TopicPartition> partitions, ConsumerRecords<K, V> records) {
		Map<TopicPartition, List<ConsumerRecord<K, V>>> left = new HashMap<>();
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
