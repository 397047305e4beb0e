package jobs.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import org.bson.Document;

/**
 * The database itself, for what is done to it between the measurements.
 *
 * @param port its port
 */
record Database(int port) {

	private static final int BATCH = 2000;

	/**
	 * Gives another database's collection the indexes of one.
	 */
	void copyIndexes(String from, String to) {
		try (MongoClient mongo = connect()) {
			for (Document index : mongo.getDatabase(from).getCollection("jobs").listIndexes()) {
				if (!index.getString("name").equals("_id_")) {
					mongo.getDatabase(to).getCollection("jobs").createIndex(index.get("key", Document.class));
				}
			}
		}
	}

	/** Gives a database's collection an index of a field. */
	void index(String name, String field) {
		try (MongoClient mongo = connect()) {
			mongo.getDatabase(name).getCollection("jobs").createIndex(new Document(field, 1));
		}
	}

	/**
	 * Deletes what is stored, but no index.
	 */
	void clear(String name) {
		try (MongoClient mongo = connect()) {
			mongo.getDatabase(name).getCollection("jobs").deleteMany(new Document());
		}
	}

	/**
	 * Adds jobs like those that the service stores.
	 */
	void fill(String name, Postings postings, int jobs) {
		try (MongoClient mongo = connect()) {
			MongoCollection<Document> collection = mongo.getDatabase(name).getCollection("jobs");
			List<Document> batch = new ArrayList<>();
			for (int i = 0; i < jobs; i++) {
				Document job = new Document("_id", new String(Keys.next(), StandardCharsets.ISO_8859_1));
				job.putAll(Document.parse(new String(postings.job(i), StandardCharsets.UTF_8)));
				job.put("_meta", new Document("acceptedAt", Date.from(Instant.now())).append("topic", "jobs"));
				batch.add(job);
				if (batch.size() == BATCH || i == jobs - 1) {
					collection.insertMany(batch, new InsertManyOptions().ordered(false));
					batch.clear();
				}
			}
		}
	}

	private MongoClient connect() {
		return MongoClients.create("mongodb://127.0.0.1:%d".formatted(this.port));
	}

}
