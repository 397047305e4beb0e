package jobs.kafkatomongo.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Spreads a large batch over some threads, so that one parses while another inserts. The
 * records of one key stay in one lane and in their order: of two documents with one id
 * the first is stored.
 */
final class Lanes {

	/** Bytes of values beyond which threads share a batch. */
	private static final int SHARED_BYTES = 512 * 1024;

	/** Threads that share a large batch. */
	static final int LANES = 2;

	private Lanes() {
	}

	/**
	 * Hands out all records, to {@link #LANES} threads where their values have more than
	 * {@link #SHARED_BYTES}, else to the calling thread. Returns when all are done;
	 * throws what one has thrown.
	 */
	static void forEach(List<ConsumerRecord<byte[], byte[]>> records,
			Consumer<List<ConsumerRecord<byte[], byte[]>>> store) {
		if (bytes(records) <= SHARED_BYTES) {
			store.accept(records);
			return;
		}
		// closing it waits for all lanes, also for those beside one that has failed
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			List<CompletableFuture<Void>> lanes = lanes(records).stream()
				.map((lane) -> CompletableFuture.runAsync(() -> store.accept(lane), threads))
				.toList();
			lanes.forEach(CompletableFuture::join);
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof RuntimeException failure) ? failure : ex;
		}
	}

	private static long bytes(List<ConsumerRecord<byte[], byte[]>> records) {
		return records.stream().mapToLong((record) -> (record.value() != null) ? record.value().length : 0).sum();
	}

	private static List<List<ConsumerRecord<byte[], byte[]>>> lanes(List<ConsumerRecord<byte[], byte[]>> records) {
		List<List<ConsumerRecord<byte[], byte[]>>> lanes = new ArrayList<>();
		for (int i = 0; i < LANES; i++) {
			lanes.add(new ArrayList<>());
		}
		for (ConsumerRecord<byte[], byte[]> record : records) {
			int hash = (record.key() != null) ? Arrays.hashCode(record.key()) : Long.hashCode(record.offset());
			lanes.get(Math.floorMod(hash, LANES)).add(record);
		}
		return lanes;
	}

}
