package jobs.kafkatomongo.trial;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import jobs.kafkatomongo.Records;
import jobs.testkit.Backends;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** An answer has as many documents as their size allows. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollectionScanTests {

	private final List<Integer> batches = new ArrayList<>();

	private final MongoClient client = MongoClients.create(MongoClientSettings.builder()
		.applyConnectionString(new ConnectionString(Backends.get().mongo("db")))
		.addCommandListener(new CommandListener() {

			@Override
			public void commandStarted(CommandStartedEvent event) {
				if (event.getCommandName().equals("find")) {
					CollectionScanTests.this.batches.add(event.getCommand().getNumber("batchSize").intValue());
				}
			}

		})
		.build());

	private final String database = "trial-" + UUID.randomUUID();

	private final MongoCollection<Document> collection = this.client.getDatabase(this.database).getCollection("jobs");

	private final CollectionScan documents = new CollectionScan(this.client.getDatabase(this.database),
			Records.jobs("jobs"));

	private final List<String> read = new ArrayList<>();

	@BeforeEach
	void startWithOneDocument() {
		this.collection.insertOne(new Document("_id", "a"));
	}

	@AfterEach
	void close() {
		this.client.getDatabase(this.database).drop();
		this.client.close();
	}

	@Test
	void readsManySmallDocumentsTogether() throws InterruptedException {
		readAll();
		insert(150, 10);
		readAll();

		assertThat(this.read).hasSize(151).doesNotHaveDuplicates();
		assertThat(this.batches).startsWith(1).endsWith(100);
	}

	@Test
	void readsFewLargeDocumentsTogether() throws InterruptedException {
		insert(9, 1_500_000);
		readAll();
		readAll();

		assertThat(this.read).hasSize(10);
		assertThat(this.batches).startsWith(1);
		assertThat(this.batches.getLast()).isBetween(5, 6);
	}

	private void insert(int count, int size) {
		this.collection.insertMany(IntStream.range(0, count)
			.mapToObj((i) -> new Document("_id", "b-%03d".formatted(i)).append("text", "x".repeat(size)))
			.toList());
	}

	private void readAll() throws InterruptedException {
		boolean isMore = true;
		while (isMore) {
			isMore = this.documents.read((one) -> this.read.add(one.getString("_id").getValue()));
		}
	}

}
