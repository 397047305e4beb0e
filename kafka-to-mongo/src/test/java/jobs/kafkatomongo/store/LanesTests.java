package jobs.kafkatomongo.store;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import jobs.kafkatomongo.consumption.BoundedPoll;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LanesTests {

	/** Bytes of each record where a batch is full in records as well as in bytes. */
	private static final int SIZE = BoundedPoll.BATCH_BYTES / BoundedPoll.BATCH_RECORDS;

	@Test
	void leavesASmallBatchInItsThread() {
		List<ConsumerRecord<byte[], byte[]>> records = records(1000, 10, 10);
		List<Thread> threads = new ArrayList<>();

		Lanes.forEach(records, (lane) -> {
			assertThat(lane).isEqualTo(records);
			threads.add(Thread.currentThread());
		});

		assertThat(threads).containsExactly(Thread.currentThread());
	}

	@Test
	void sharesALargeBatchAtTheSameTime() {
		CountDownLatch all = new CountDownLatch(Lanes.LANES);
		ConcurrentLinkedQueue<ConsumerRecord<byte[], byte[]>> stored = new ConcurrentLinkedQueue<>();
		List<ConsumerRecord<byte[], byte[]>> records = records(BoundedPoll.BATCH_RECORDS, 1000, SIZE);

		Lanes.forEach(records, (lane) -> {
			all.countDown();
			assertThat(await(all)).isTrue();
			stored.addAll(lane);
		});

		assertThat(stored).containsExactlyInAnyOrderElementsOf(records);
	}

	@Test
	void keepsTheOrderOfEachKey() {
		ConcurrentLinkedQueue<ConsumerRecord<byte[], byte[]>> stored = new ConcurrentLinkedQueue<>();

		Lanes.forEach(records(BoundedPoll.BATCH_RECORDS, 7, SIZE), stored::addAll);

		assertThat(stored).hasSize(BoundedPoll.BATCH_RECORDS);
		assertThat(stored.stream()
			.collect(Collectors.groupingBy((record) -> new String(record.key(), StandardCharsets.UTF_8)))
			.values()).hasSize(7)
			.allSatisfy((ofOneKey) -> assertThat(ofOneKey)
				.isSortedAccordingTo(Comparator.comparing(ConsumerRecord::offset)));
	}

	@Test
	void spreadsRecordsWithoutKeysAndThoseWithoutValues() {
		Map<Thread, Integer> sizes = new ConcurrentHashMap<>();
		List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
		for (int i = 0; i < BoundedPoll.BATCH_RECORDS; i++) {
			records.add(record(null, i, (i % 10 != 0) ? new byte[SIZE] : null));
		}

		Lanes.forEach(records, (lane) -> sizes.merge(Thread.currentThread(), lane.size(), Integer::sum));

		assertThat(sizes.values()).hasSize(Lanes.LANES).containsOnly(BoundedPoll.BATCH_RECORDS / Lanes.LANES);
	}

	@Test
	void throwsWhatALaneHasThrownAfterTheOthersHaveEnded() {
		ConcurrentLinkedQueue<ConsumerRecord<byte[], byte[]>> stored = new ConcurrentLinkedQueue<>();
		List<ConsumerRecord<byte[], byte[]>> records = records(BoundedPoll.BATCH_RECORDS, 1000, SIZE);

		assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> Lanes.forEach(records, (lane) -> {
			if (lane.contains(records.getFirst())) {
				throw new IllegalStateException("no");
			}
			stored.addAll(lane);
		})).withMessage("no");

		assertThat(stored).hasSizeGreaterThan(BoundedPoll.BATCH_RECORDS / 3).doesNotContain(records.getFirst());
	}

	private static boolean await(CountDownLatch latch) {
		try {
			return latch.await(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static List<ConsumerRecord<byte[], byte[]>> records(int count, int keys, int size) {
		List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			records.add(record("key-" + (i % keys), i, new byte[size]));
		}
		return records;
	}

	@SuppressWarnings("NullAway")
	private static ConsumerRecord<byte[], byte[]> record(@Nullable String key, long offset, byte @Nullable [] value) {
		return new ConsumerRecord<>("topic", 0, offset, (key != null) ? key.getBytes(StandardCharsets.UTF_8) : null,
				value);
	}

}
