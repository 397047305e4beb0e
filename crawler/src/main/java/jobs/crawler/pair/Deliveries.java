package jobs.crawler.pair;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import jobs.crawler.pair.PairClient.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Hands what pages have to the pair, many at once. A page that finds no room waits: that
 * is how the pair slows a crawl down.
 */
public final class Deliveries {

	/** Deliveries that wait. */
	private static final int ROOM = 500;

	/** KiB of documents that wait. */
	private static final int ROOM_KIB = 16 * 1024;

	/** Documents that are sent together. */
	private static final int BATCH = 500;

	/** Bytes of documents beyond which no more are sent together. */
	private static final int BATCH_BYTES = 4 * 1024 * 1024;

	/** Bytes of a refused document that are told. */
	private static final int BEGINNING = 200;

	private final BlockingQueue<Delivery> waiting = new ArrayBlockingQueue<>(ROOM);

	private final Semaphore room = new Semaphore(ROOM_KIB);

	private final @Nullable PairClient pair;

	private final @Nullable PrintStream out;

	private final Runnable before;

	private final BiConsumer<String, String> refused;

	private final CompletableFuture<IOException> failure = new CompletableFuture<>();

	private final Thread sender;

	private volatile boolean isClosing;

	private Deliveries(@Nullable PairClient pair, @Nullable PrintStream out, Runnable before,
			BiConsumer<String, String> refused) {
		this.pair = pair;
		this.out = out;
		this.before = before;
		this.refused = refused;
		this.sender = Thread.ofVirtual().name("deliveries").start(this::run);
	}

	/**
	 * Delivers to the pair.
	 * @param address of the resource at rest-to-kafka
	 * @param key an API key; {@code null} for none
	 * @param patience for how long a delivery is tried
	 * @param waits hears why a delivery has to wait
	 * @param before runs before documents are sent, so that a kill forgets none of them
	 * @param refused hears which document the pair refuses for ever, by its beginning,
	 * and why
	 */
	public static Deliveries to(URI address, @Nullable String key, Duration patience, Consumer<String> waits,
			Runnable before, BiConsumer<String, String> refused) {
		return new Deliveries(new PairClient(address, key, patience, PairClient.TIMEOUT, waits), null, before, refused);
	}

	/** Prints the documents, one a line. */
	public static Deliveries printing(PrintStream out) {
		return new Deliveries(null, out, () -> {
		}, (_, _) -> {
		});
	}

	/** Completes where the pair does not take what it should: with the reason. */
	public CompletableFuture<IOException> failure() {
		return this.failure;
	}

	/**
	 * Has documents delivered, once there is room.
	 * @param documents one line of JSON each
	 * @param done hears which of them the pair has refused, once it has the others
	 */
	public void add(List<byte[]> documents, Consumer<Set<Integer>> done) throws InterruptedException {
		add(new Delivery(documents, Map.of(), done));
	}

	/**
	 * Has documents deleted, once there is room.
	 * @param deletions the versions up to which, in milliseconds since 1970, by the ids
	 * @param done runs once the pair has all deletions
	 */
	public void delete(Map<String, Long> deletions, Runnable done) throws InterruptedException {
		add(new Delivery(List.of(), deletions, (_) -> done.run()));
	}

	private void add(Delivery delivery) throws InterruptedException {
		while (!this.room.tryAcquire(delivery.kib(), 1, TimeUnit.SECONDS)) {
			if (this.failure.isDone()) {
				return;
			}
		}
		while (!this.waiting.offer(delivery, 1, TimeUnit.SECONDS)) {
			if (this.failure.isDone()) {
				return;
			}
		}
	}

	private void run() {
		try {
			while (!this.isClosing || !this.waiting.isEmpty()) {
				Delivery first = this.waiting.poll(100, TimeUnit.MILLISECONDS);
				if (first != null) {
					deliver(first);
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (IOException ex) {
			this.failure.complete(ex);
		}
		catch (RuntimeException | Error ex) {
			this.failure.complete(new IOException("a fault of the crawler itself: " + ex, ex));
		}
	}

	private void deliver(Delivery first) throws IOException, InterruptedException {
		List<Delivery> together = new ArrayList<>(List.of(first));
		int documents = first.documents().size();
		long bytes = first.bytes();
		for (Delivery next = this.waiting.peek(); next != null && documents + next.documents().size() <= BATCH
				&& bytes + next.bytes() <= BATCH_BYTES; next = this.waiting.peek()) {
			together.add(this.waiting.remove());
			documents += next.documents().size();
			bytes += next.bytes();
		}
		Set<Integer> refused = send(together.stream().flatMap((one) -> one.documents().stream()).toList());
		int from = 0;
		for (Delivery delivery : together) {
			for (Map.Entry<String, Long> deletion : delivery.deletions().entrySet()) {
				if (this.pair != null) {
					this.pair.delete(deletion.getKey(), Instant.ofEpochMilli(deletion.getValue()));
				}
			}
			Set<Integer> own = new HashSet<>();
			for (int i = 0; i < delivery.documents().size(); i++) {
				if (refused.contains(from + i)) {
					own.add(i);
				}
			}
			from += delivery.documents().size();
			delivery.done().accept(own);
			this.room.release(delivery.kib());
		}
	}

	private Set<Integer> send(List<byte[]> documents) throws IOException, InterruptedException {
		Set<Integer> refused = new HashSet<>();
		if (this.out != null) {
			documents.forEach((document) -> this.out.println(new String(document, StandardCharsets.UTF_8)));
		}
		if (this.pair != null && !documents.isEmpty()) {
			this.before.run();
			for (Refusal refusal : this.pair.upload(documents)) {
				refused.add(refusal.index());
				this.refused.accept(beginning(documents.get(refusal.index())), refusal.reason());
			}
		}
		return refused;
	}

	/** It has the id and the page. */
	private static String beginning(byte[] document) {
		return new String(document, 0, Math.min(document.length, BEGINNING), StandardCharsets.UTF_8);
	}

	/** Ends what is under way within a time, and gives up the rest. */
	public void end(Duration time) throws InterruptedException {
		this.isClosing = true;
		if (!this.sender.join(time)) {
			this.sender.interrupt();
			this.sender.join();
		}
	}

	private record Delivery(List<byte[]> documents, Map<String, Long> deletions, Consumer<Set<Integer>> done) {

		private long bytes() {
			return this.documents.stream().mapToLong((document) -> document.length).sum();
		}

		/** At least one, and not more than there is room for. */
		private int kib() {
			return Math.clamp(bytes() / 1024, 1, ROOM_KIB);
		}

	}

}
