package jobs.kafkatomongo.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import com.mongodb.MongoException;
import com.mongodb.MongoSocketReadException;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.kafkatomongo.mongo.BulkWriter;
import jobs.kafkatomongo.mongo.PoisonCandidates;
import jobs.testkit.Backends;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import org.bson.BsonDocument;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever two services do with batches that come in any order, twice, and break off
 * between any two commands: of each id the highest version is stored in the end, and
 * nobody sees a lower one after it.
 */
class NewestWinsModelTests {

	private static final int ROUNDS = 60;

	private static final MongoClient CLIENT = MongoClients.create(Backends.get().mongo("test"));

	private static final Resource ORDERS = Records.orders("topic");

	@AfterContainer
	static void close() {
		CLIENT.close();
	}

	@Property(tries = ROUNDS)
	void endsWithTheHighestVersionOfEachId(@ForAll("deliveries") List<Delivery> first,
			@ForAll("deliveries") List<Delivery> second) {
		MongoCollection<BsonDocument> collection = CLIENT.getDatabase("model-" + UUID.randomUUID())
			.getCollection("orders", BsonDocument.class);
		Watcher watcher = new Watcher(collection);
		CompletableFuture<Void> watching = CompletableFuture.runAsync(watcher, Thread::startVirtualThread);

		CompletableFuture<List<Delivery>> one = CompletableFuture.supplyAsync(() -> deliver(first, collection),
				Thread::startVirtualThread);
		CompletableFuture<List<Delivery>> other = CompletableFuture.supplyAsync(() -> deliver(second, collection),
				Thread::startVirtualThread);
		// what broke off comes again, at the other service
		deliverAll(one.orTimeout(30, TimeUnit.SECONDS).join(), collection);
		deliverAll(other.orTimeout(30, TimeUnit.SECONDS).join(), collection);
		watcher.isOver = true;
		watching.orTimeout(30, TimeUnit.SECONDS).join();

		Map<String, Long> expected = new HashMap<>();
		Map<String, Boolean> isDeleted = new HashMap<>();
		for (List<Delivery> all : List.of(first, second)) {
			all.stream().flatMap((delivery) -> delivery.records().stream()).forEach((record) -> {
				if (expected.merge(record.id(), record.version(), Math::max) == record.version()) {
					isDeleted.put(record.id(), record.isDeletion());
				}
			});
		}
		assertThat(versions(collection)).isEqualTo(expected);
		collection.find()
			.forEach((stored) -> assertThat(stored.containsKey("revision"))
				.isEqualTo(!isDeleted.get(stored.getString("_id").getValue())));
		CLIENT.getDatabase(collection.getNamespace().getDatabaseName()).drop();
	}

	@Provide
	Arbitrary<List<Delivery>> deliveries() {
		Arbitrary<Change> change = Combinators.combine(Arbitraries.of("A", "B"), Arbitraries.longs().between(1, 9))
			.as(Change::new);
		return Combinators
			.combine(change.list().ofMinSize(1).ofMaxSize(6), Arbitraries.integers().between(0, 6),
					Arbitraries.of(true, false))
			.as(Delivery::new)
			.list()
			.ofMinSize(1)
			.ofMaxSize(6);
	}

	/** Delivers batches, and returns those that broke off. */
	private static List<Delivery> deliver(List<Delivery> deliveries, MongoCollection<BsonDocument> collection) {
		List<Delivery> broken = new ArrayList<>();
		for (Delivery delivery : deliveries) {
			AtomicInteger left = new AtomicInteger(delivery.commands());
			try {
				store(delivery, (delivery.commands() > 0) ? breaking(collection, left) : collection);
			}
			catch (MongoException ex) {
				broken.add(delivery);
			}
		}
		return broken;
	}

	private static void deliverAll(List<Delivery> deliveries, MongoCollection<BsonDocument> collection) {
		deliveries.stream()
			.sorted(Comparator.comparing(Delivery::commands))
			.forEach((delivery) -> store(delivery, collection));
	}

	private static void store(Delivery delivery, MongoCollection<BsonDocument> collection) {
		BulkWriter.Shared shared = new BulkWriter.Shared();
		StoreBatch batch = new NewestWins(collection, new StoreMetrics(new SimpleMeterRegistry()),
				new StoredEvents(CLIENT, ORDERS), new VersionWrites(collection, new AtomicBoolean(delivery.areNew())),
				shared, new PoisonCandidates(Records.properties("topic"), shared.creations()));
		batch.store(delivery.records().stream().map(Change::parsed).toList());
		assertThat(batch.end()).isEmpty();
	}

	/** A collection whose connection breaks before or after a command. */
	@SuppressWarnings("unchecked")
	private static <T> MongoCollection<T> breaking(MongoCollection<T> real, AtomicInteger left) {
		return (MongoCollection<T>) Proxy.newProxyInstance(NewestWinsModelTests.class.getClassLoader(),
				new Class<?>[] { MongoCollection.class }, (proxy, method, arguments) -> {
					boolean isCommand = method.getName().equals("bulkWrite") || method.getName().equals("find");
					if (isCommand && left.decrementAndGet() == 0) {
						throw new MongoSocketReadException("before", new ServerAddress());
					}
					Object result;
					try {
						result = method.invoke(real, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
					if (method.getName().equals("bulkWrite") && left.decrementAndGet() == 0) {
						throw new MongoSocketReadException("after", new ServerAddress());
					}
					return (result instanceof MongoCollection<?> other) ? breaking(other, left) : result;
				});
	}

	private static Map<String, Long> versions(MongoCollection<BsonDocument> collection) {
		Map<String, Long> versions = new HashMap<>();
		collection.find()
			.forEach((stored) -> versions.put(stored.getString("_id").getValue(),
					stored.getDocument("_meta").getInt64("version").getValue()));
		return versions;
	}

	/**
	 * A batch.
	 *
	 * @param records its records, some of which another batch has, too
	 * @param commands after or before which of its commands the connection breaks; 0 for
	 * none
	 * @param areNew whether its documents are expected to be new
	 */
	record Delivery(List<Change> records, int commands, boolean areNew) {

	}

	/**
	 * A version of a document. Each third is a deletion.
	 */
	record Change(String id, long version) {

		boolean isDeletion() {
			return this.version % 3 == 0;
		}

		ParsedRecord parsed() {
			String value = "{\"orderNumber\":\"%s\",\"revision\":%d}".formatted(this.id, this.version);
			return Records.order(ORDERS, this.version, this.id, isDeletion() ? null : value,
					Long.toString(this.version));
		}

	}

	/** Reads all the time, and fails where a version is lower than before. */
	private static final class Watcher implements Runnable {

		private final MongoCollection<BsonDocument> collection;

		private final Map<String, Long> seen = new HashMap<>();

		private volatile boolean isOver;

		Watcher(MongoCollection<BsonDocument> collection) {
			this.collection = collection;
		}

		@Override
		public void run() {
			do {
				versions(this.collection).forEach((id, version) -> {
					assertThat(version).as("version of %s", id).isGreaterThanOrEqualTo(this.seen.getOrDefault(id, 0L));
					this.seen.put(id, version);
				});
			}
			while (!this.isOver);
		}

	}

}
