package jobs.endtoend.load;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import jobs.endtoend.load.Operator.Act;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Pair;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An operator sees when what was acknowledged is not there, and what is there was not
 * done.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OperatorTests {

	private final String name = "operator-" + UUID.randomUUID();

	/** The first record is a replay of the dead letter "a". */
	private final String replay = this.name + "#0#0";

	private final String replayed = "{action: 'replayed', note: 'act 0', position: '%s'}".formatted(this.replay);

	private final MongoClient mongo = MongoClients.create(Backends.get().mongo(this.name));

	private final MongoCollection<BsonDocument> deadLetters = this.mongo.getDatabase(this.name)
		.getCollection("deadLetters", BsonDocument.class);

	private final Evidence evidence = new Evidence(Backends.get().kafka(), this.name, this.name, this.name,
			this.deadLetters, this.deadLetters);

	@BeforeEach
	void publish() throws Exception {
		try (Admin admin = Pair.admin(); KafkaProducer<byte[], byte[]> producer = Pair.producer()) {
			admin.createTopics(List.of(new NewTopic(this.name, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
			ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(this.name, new byte[0]);
			record.headers().add("replay-of", "a".getBytes(StandardCharsets.UTF_8));
			producer.send(record).get(30, TimeUnit.SECONDS);
		}
	}

	@AfterEach
	void close() throws Exception {
		try (Admin admin = Pair.admin()) {
			admin.deleteTopics(List.of(this.name)).all().get(30, TimeUnit.SECONDS);
		}
		this.mongo.close();
	}

	@Test
	void isContentWithWhatIsThere() {
		deadLetter("a", "replayed", "history: [%s]".formatted(this.replayed));
		deadLetter("b", "discarded", "history: [{action: 'discarded', by: 'ann', note: 'act 1'}]");
		deadLetter("c", "open", "headers: []");

		assertThat(judge()).isEmpty();
	}

	@Test
	void findsWhatWasAcknowledgedAndIsNotShown() {
		deadLetter("a", "open", "headers: []");
		deadLetter("b", "open", "headers: []");

		assertThat(judge()).containsExactlyInAnyOrder(
				"dead letter a does not show its replays, of [%s]".formatted(this.replay),
				"dead letter b was discarded and does not show it", "1 replays were acknowledged, and 0 are shown");
	}

	@Test
	void findsAReplayThatIsShownAndIsNotInKafka() {
		deadLetter("a", "replayed", "history: [%s]".formatted(this.replayed));
		deadLetter("b", "discarded",
				"history: [%s, {action: 'discarded', by: 'ann', note: 'act 1'}]".formatted(this.replayed));

		assertThat(judge())
			.containsExactly("dead letter b shows a replay to %s, where it is not".formatted(this.replay));
	}

	@Test
	void findsAnEntryThatNobodyAskedFor() {
		deadLetter("a", "replayed", "history: [%s]".formatted(this.replayed));
		deadLetter("b", "discarded", "history: [{action: 'discarded', by: 'ann', note: 'act 1'}]");
		deadLetter("c", "discarded", "history: [{action: 'discarded', by: 'ann', note: 'act 1'}]");

		assertThat(judge()).singleElement().asString().startsWith("dead letter c shows what nobody asked for");
	}

	@Test
	void findsAnEntryWithTheNameOfSomebodyElse() {
		deadLetter("a", "replayed", "history: [%s]".formatted(this.replayed));
		deadLetter("b", "discarded", "history: [{action: 'discarded', by: 'bob', note: 'act 1'}]");

		assertThat(judge()).singleElement().asString().startsWith("dead letter b shows what nobody asked for");
	}

	@Test
	void findsAStateThatHasBeenForgotten() {
		deadLetter("a", "open", "history: [%s]".formatted(this.replayed));
		deadLetter("b", "discarded", "history: [{action: 'discarded', by: 'ann', note: 'act 1'}]");

		assertThat(judge()).containsExactly("dead letter a has the state open");
	}

	private List<String> judge() {
		return Operator.judge(this.evidence,
				Map.of("act 0", new Act(null, "replayed", null), "act 1", new Act("b", "discarded", "ann")),
				Map.of("a", Set.of(this.replay)), Set.of("b"), 0);
	}

	private void deadLetter(String id, String state, String more) {
		this.deadLetters.insertOne(BsonDocument.parse("{_id: '%s', state: '%s', %s}".formatted(id, state, more)));
	}

}
