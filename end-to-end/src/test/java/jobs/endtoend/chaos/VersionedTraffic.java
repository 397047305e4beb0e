package jobs.endtoend.chaos;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import com.mongodb.MongoException;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Projections;
import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Client;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Postings;
import jobs.endtoend.pair.Proxy;
import org.bson.BsonDocument;

/**
 * Versions of documents, in hostile order: each line, request or deletion has a random
 * version of a random id, is sent until it is accepted, and now and then once more. Of
 * each id the highest version has to be stored in the end, and a watcher that reads all
 * the time may never see a lower one after it.
 */
final class VersionedTraffic implements AutoCloseable {

	private static final int CONNECTIONS = 8;

	/** Versions that are sent together. */
	private static final int BLOCK = 50;

	/** Versions of one id, in the mean. */
	private static final int VERSIONS_PER_ID = 20;

	private static final int HIGHEST = 1_000_000;

	/**
	 * One version in so many is a deletion: for each a stand-in of mongod reads all
	 * documents, where MongoDB takes the index of the ids.
	 */
	private static final int DELETIONS = 50;

	private static final Duration PAUSE = Duration.ofMillis(500);

	/** Documents that the watcher looks at together. */
	private static final int WATCHED = 250;

	private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

	private final long seed;

	private final int size;

	private final List<Integer> ports;

	private final Evidence evidence;

	private final HttpClient http = HttpClient.newHttpClient();

	private final AtomicInteger next = new AtomicInteger();

	private final AtomicLong looks = new AtomicLong();

	private final Map<String, Long> seen = new HashMap<>();

	private final List<String> wrong = new ArrayList<>();

	private volatile boolean isOver;

	VersionedTraffic(long seed, int versions, Cluster cluster) {
		this.seed = seed;
		this.size = Math.ceilDiv(versions, BLOCK) * BLOCK;
		this.ports = cluster.clientProxies.stream().map(Proxy::port).toList();
		this.evidence = cluster.evidence(ResourcesFile.VERSIONED);
	}

	Evidence evidence() {
		return this.evidence;
	}

	/** Sends all, at a steady rate that catches up after an outage. */
	void run(long seconds) {
		long start = System.nanoTime();
		double perNano = this.size / (seconds * 1e9);
		List<Future<?>> connections = new ArrayList<>();
		try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
			for (int i = 0; i < CONNECTIONS; i++) {
				connections.add(threads.submit(() -> {
					List<Client> clients = this.ports.stream().map((port) -> new Client(port, Access.OPEN)).toList();
					for (int first = this.next.getAndAdd(BLOCK); first < this.size; first = this.next
						.getAndAdd(BLOCK)) {
						long nanos = start + (long) (first / perNano) - System.nanoTime();
						Thread.sleep(Duration.ofNanos(Math.max(0, nanos)));
						send(clients, first);
					}
					clients.forEach(Client::close);
					return null;
				}));
			}
		}
		connections.forEach((one) -> {
			if (one.state() == Future.State.FAILED) {
				throw new IllegalStateException(one.exceptionNow());
			}
		});
	}

	private void send(List<Client> clients, int first) throws InterruptedException {
		StringBuilder upload = new StringBuilder();
		for (int number = first; number < first + BLOCK; number++) {
			Version version = version(number);
			if (version.isDeletion()) {
				delete(version);
			}
			else if ((first / BLOCK) % 2 == 0) {
				upload.append(version.json()).append('\n');
			}
			else {
				post(clients, version.json(), "application/json");
			}
		}
		if (!upload.isEmpty()) {
			post(clients, upload.toString(), "application/x-ndjson");
		}
		if (first % 7 == 0 && !upload.isEmpty()) {
			// as a client does that has not heard the answer
			post(clients, upload.toString(), "application/x-ndjson");
		}
	}

	private void post(List<Client> clients, String body, String type) throws InterruptedException {
		while (true) {
			Client client = clients.get(ThreadLocalRandom.current().nextInt(clients.size()));
			Client.Answer answer = client.post("/" + ResourcesFile.VERSIONED, type, null,
					body.getBytes(StandardCharsets.UTF_8));
			if (isAccepted(answer, body)) {
				return;
			}
			Thread.sleep(PAUSE);
		}
	}

	private static boolean isAccepted(Client.Answer answer, String body) {
		if (!answer.whole() || answer.status() != 200) {
			return answer.whole() && answer.status() == 202;
		}
		return answer.lines().size() == body.lines().count()
				&& answer.lines().stream().allMatch((line) -> Postings.json(line).get("status").asInt() == 202);
	}

	private void delete(Version version) throws InterruptedException {
		while (true) {
			int port = this.ports.get(ThreadLocalRandom.current().nextInt(this.ports.size()));
			HttpRequest request = HttpRequest
				.newBuilder(URI.create("http://127.0.0.1:%d/%s/%s?version=%d".formatted(port, ResourcesFile.VERSIONED,
						version.id(), version.number())))
				.timeout(Duration.ofSeconds(10))
				.DELETE()
				.build();
			try {
				if (this.http.send(request, BodyHandlers.discarding()).statusCode() == 202) {
					return;
				}
			}
			catch (IOException ex) {
				// it is sent again
			}
			Thread.sleep(PAUSE);
		}
	}

	/** Reads all the time some of what is stored, past the proxies. */
	void watch() {
		while (!this.isOver) {
			try {
				look();
			}
			catch (MongoException ex) {
				// the database is away
			}
			try {
				Thread.sleep(BETWEEN_LOOKS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
	}

	private void look() {
		List<String> ids = ThreadLocalRandom.current().ints(WATCHED, 0, ids()).mapToObj((id) -> "v-" + id).toList();
		this.evidence.documents()
			.find(Filters.in("_id", ids))
			.projection(Projections.include("_meta.version"))
			.forEach(this::see);
		this.looks.incrementAndGet();
	}

	private void see(BsonDocument stored) {
		String id = stored.getString("_id").getValue();
		long version = stored.getDocument("_meta").getInt64("version").getValue();
		if (this.seen.getOrDefault(id, Long.MIN_VALUE) > version) {
			this.wrong.add("%s: version %d was seen after %d".formatted(id, version, this.seen.get(id)));
		}
		this.seen.merge(id, version, Math::max);
	}

	private int ids() {
		return Math.max(1, this.size / VERSIONS_PER_ID);
	}

	void endWatch() {
		this.isOver = true;
	}

	/** Tells on the console what is stored, and returns what is wrong. */
	List<String> judge() {
		Map<String, Version> highest = new HashMap<>();
		for (int number = 0; number < this.size; number++) {
			Version one = version(number);
			highest.merge(one.id(), one, (a, b) -> (a.number() >= b.number()) ? a : b);
		}
		int deleted = 0;
		int stale = 0;
		int changed = 0;
		Map<String, BsonDocument> stored = new HashMap<>();
		this.evidence.documents().find().forEach((one) -> stored.put(one.getString("_id").getValue(), one));
		List<String> judged = new ArrayList<>(this.wrong);
		if (this.looks.get() == 0) {
			judged.add("nobody has looked");
		}
		for (Version expected : highest.values()) {
			BsonDocument found = stored.remove(expected.id());
			long version = (found != null) ? found.getDocument("_meta").getInt64("version").getValue() : -1;
			if (version != expected.number()) {
				stale++;
				judged.add("%s: version %d is stored, and %d was accepted".formatted(expected.id(), version,
						expected.number()));
			}
			else if (!expected.isStoredAs(found)) {
				changed++;
				judged.add("%s: the document differs from what was sent: %s".formatted(expected.id(), found));
			}
			deleted += expected.isDeletion() ? 1 : 0;
		}
		stored.keySet().forEach((id) -> judged.add("%s: nobody sent it".formatted(id)));
		AtomicInteger dead = new AtomicInteger();
		this.evidence.forEachDeadLetter((_) -> dead.incrementAndGet());
		if (dead.get() > 0) {
			judged.add("%d versions became dead letters".formatted(dead.get()));
		}
		System.out.printf(
				"%d versions of %d documents, %d of them deleted: %d stale, %d changed, %d seen going back in %d looks, %d dead letters%n",
				this.size, highest.size(), deleted, stale, changed, this.wrong.size(), this.looks.get(), dead.get());
		return judged.stream().map((line) -> ResourcesFile.VERSIONED + " " + line).limit(20).toList();
	}

	private Version version(int number) {
		SplittableRandom random = new SplittableRandom(this.seed * 1_000_003 + number);
		String id = "v-" + random.nextInt(ids());
		return new Version(id, random.nextInt(HIGHEST));
	}

	@Override
	public void close() {
		this.isOver = true;
		this.http.close();
	}

	/**
	 * A version of a document, or the deletion of all up to it.
	 */
	private record Version(String id, long number) {

		boolean isDeletion() {
			return this.number % DELETIONS == 0;
		}

		String json() {
			return "{\"name\":\"%s\",\"version\":%d,\"text\":\"%s\"}".formatted(this.id, this.number, text());
		}

		private String text() {
			return "text %d of %s".formatted(this.number * 31, this.id);
		}

		boolean isStoredAs(BsonDocument found) {
			return isDeletion() ? found.size() == 2 && found.getDocument("_meta").containsKey("deletedAt")
					: found.getString("text").getValue().equals(text()) && found.size() == 5;
		}

	}

}
