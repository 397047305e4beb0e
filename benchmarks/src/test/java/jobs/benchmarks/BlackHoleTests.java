package jobs.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.client.model.ReplaceOptions;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What MongoDB's driver sees of a black hole.
 */
@Timeout(30)
class BlackHoleTests {

	private BlackHole hole;

	private MongoClient mongo;

	private MongoCollection<Document> collection;

	@BeforeEach
	void connect() throws Exception {
		this.hole = new BlackHole(0);
		this.mongo = MongoClients.create(this.hole.address() + "/?w=majority");
		this.collection = this.mongo.getDatabase("db").getCollection("jobs");
	}

	@AfterEach
	void close() {
		this.mongo.close();
		this.hole.close();
	}

	@Test
	void acknowledgesAndCountsInserts() {
		List<Integer> numbers = Collections.synchronizedList(new ArrayList<>());
		this.hole.listen(numbers::add);

		this.collection
			.insertMany(
					List.of(new Document("_id", "a").append("n", 7), new Document("_id", "b").append("n", 8L),
							new Document("_id", "c").append("title", "no number")),
					new InsertManyOptions().ordered(false));

		assertThat(this.hole.count()).isEqualTo(3);
		assertThat(numbers).containsExactly(7, 8, -1);
	}

	@Test
	void acknowledgesAndCountsUpserts() {
		this.collection.bulkWrite(List.of(new ReplaceOneModel<>(new Document("_id", 1), new Document("title", "x"),
				new ReplaceOptions().upsert(true))));

		assertThat(this.hole.count()).isEqualTo(1);
	}

	@Test
	void answersCommandsThatAskForNothing() {
		assertThat(this.mongo.getDatabase("db").runCommand(new Document("ping", 1))).containsEntry("ok", 1.0);
		assertThat(this.collection.find().first()).isNull();
	}

	@Test
	void letsWritesWaitWhileItIsHeld() throws Exception {
		this.hole.hold();
		CompletableFuture<?> insert = CompletableFuture.runAsync(() -> this.collection.insertOne(new Document()));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> insert.get(200, TimeUnit.MILLISECONDS));
		assertThat(this.hole.count()).isZero();

		this.hole.release();

		insert.get(10, TimeUnit.SECONDS);
		assertThat(this.hole.count()).isEqualTo(1);
	}

	@Test
	void answersLaterWhereItIsFurtherAway() {
		this.collection.insertOne(new Document());
		this.hole.moveAway(Duration.ofMillis(300));
		long start = System.nanoTime();

		this.collection.insertOne(new Document());

		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(290));
		assertThat(this.hole.count()).isEqualTo(2);
	}

}
