package jobs.kafkatomongo;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.pipeline.Pipelines;
import org.awaitility.Awaitility;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Every question that is put to MongoDB can be answered by an index of ours: filter and
 * sort of the commands that the service sends fit an index that it asked for, and a later
 * page begins in the index where the page before it ended.
 * <p>
 * Where the server explains its plans, they are looked at, too. That needs MongoDB's own
 * planner: the stand-ins know no {@code explain}, or sort what an index has in order.
 */
@SpringBootTest(properties = "spring.kafka.listener.auto-startup=false")
@AutoConfigureMockMvc
@Import({ TestBackends.class, IndexTests.Ear.class })
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IndexTests {

	private static final Set<String> QUESTIONS = Set.of("find", "aggregate", "update");

	private static final int INDEXES = 6;

	@Autowired
	private MockMvcTester mvc;

	@Autowired
	private Pipelines pipelines;

	private DeadLetterCollection deadLetters;

	@Autowired
	private MongoDatabaseFactory mongo;

	@Autowired
	private Ear ear;

	@BeforeEach
	void awaitIndexes() {
		this.deadLetters = Records.of(this.pipelines, DeadLetterCollection.class);
		Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> this.ear.indexes().size() >= INDEXES);
		this.ear.commands.removeIf((command) -> QUESTIONS.contains(command.getFirstKey()));
	}

	@ParameterizedTest
	@ValueSource(strings = { "/jobs", "/jobs?company=Acme", "/jobs?after=5000.x", "/jobs?company=Acme&after=5000.x",
			"/jobs/none", "/dead-letters", "/dead-letters?after=5000.x", "/dead-letters?state=open",
			"/dead-letters?reason=conflict", "/dead-letters?job=x", "/dead-letters?state=open&reason=conflict",
			"/dead-letters?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z",
			"/dead-letters?state=open&from=2026-01-01T00:00:00Z&after=5000.x",
			"/dead-letters?reason=conflict&after=5000.x", "/dead-letters?job=x&after=5000.x", "/dead-letters/none" })
	void readsByAnIndex(String address) {
		this.mvc.get().uri(address).exchange();

		assertIndexes();
	}

	@ParameterizedTest
	@ValueSource(strings = { "state=open", "reason=conflict", "job=x", "from=2026-01-01T00:00:00Z",
			"state=open&reason=conflict&dry-run=true", "from=2026-01-01T00:00:00Z&dry-run=true" })
	void discardsAndCountsByAnIndex(String selection) {
		assertThat(this.mvc.delete().uri("/dead-letters?" + selection)).hasStatusOk();

		assertIndexes();
	}

	@Test
	void replaysByAnIndex() {
		BsonDocument last = new BsonDocument("_id", new BsonString("x")).append(DeadLetterCollection.FIRST_SEEN,
				new BsonDateTime(5000));
		for (Bson filter : List.of(Filters.eq("state", "open"), Filters.eq("reason", "conflict"),
				Filters.eq("job", "x"), Filters.gte(DeadLetterCollection.FIRST_SEEN, new BsonDateTime(1)))) {
			this.deadLetters.select(filter, null, 100);
			this.deadLetters.select(filter, last, 100);
		}

		assertIndexes();
	}

	@Test
	void looksForTheDeadLettersOfAJobAndCountsTheOpenOnesByAnIndex() {
		this.deadLetters.newestOf("x");
		this.deadLetters.countOpen();

		assertIndexes();
	}

	private void assertIndexes() {
		List<BsonDocument> questions = this.ear.commands.stream()
			.filter((command) -> QUESTIONS.contains(command.getFirstKey()))
			.toList();
		assertThat(questions).isNotEmpty();
		for (BsonDocument question : questions) {
			BsonDocument filter = filter(question);
			BsonDocument sort = question.getDocument("sort", new BsonDocument());
			assertThat(this.ear.indexes()).as("%s", question).anyMatch((index) -> fits(index, filter, sort));
			if (filter.toJson().contains("$or")) {
				// a later page does not read those before it
				assertThat(constrained(filter, false)).as("%s", question).contains(sort.getFirstKey());
			}
			assertPlan(question, filter);
		}
	}

	private static BsonDocument filter(BsonDocument question) {
		return switch (question.getFirstKey()) {
			case "find" -> question.getDocument("filter");
			case "aggregate" -> question.getArray("pipeline").getFirst().asDocument().getDocument("$match");
			default -> question.getArray("updates").getFirst().asDocument().getDocument("q");
		};
	}

	/**
	 * Whether an index finds the documents of a filter, in the order of a sort.
	 */
	private static boolean fits(BsonDocument index, BsonDocument filter, BsonDocument sort) {
		Set<String> fixed = constrained(filter, true);
		List<Map.Entry<String, BsonValue>> keys = new ArrayList<>(index.entrySet());
		boolean finds = fixed.isEmpty() ? constrained(filter, false).contains(keys.getFirst().getKey())
				: fixed.contains(keys.getFirst().getKey());
		keys.removeIf((key) -> fixed.contains(key.getKey()));
		List<Map.Entry<String, BsonValue>> wanted = List.copyOf(sort.entrySet());
		return finds && wanted.size() <= keys.size() && (wanted.equals(keys.subList(0, wanted.size()))
				|| reversed(sort).equals(keys.subList(0, wanted.size())));
	}

	private static List<Map.Entry<String, BsonValue>> reversed(BsonDocument sort) {
		return sort.entrySet()
			.stream()
			.map((key) -> Map.<String, BsonValue>entry(key.getKey(),
					new BsonInt32(-key.getValue().asInt32().getValue())))
			.toList();
	}

	/**
	 * The fields that each document of a filter must have a value for, or one value.
	 */
	private static Set<String> constrained(BsonDocument filter, boolean toOneValue) {
		Set<String> fields = new HashSet<>();
		filter.forEach((field, condition) -> {
			if (field.equals("$and")) {
				condition.asArray().forEach((part) -> fields.addAll(constrained(part.asDocument(), toOneValue)));
			}
			else if (!field.startsWith("$") && !(toOneValue && condition.isDocument())) {
				fields.add(field);
			}
		});
		return fields;
	}

	/**
	 * Asserts what the server says of its plan, unless it can't even read one field in
	 * the order of that field's index.
	 */
	private void assertPlan(BsonDocument question, BsonDocument filter) {
		MongoDatabase database = this.mongo.getMongoDatabase();
		if (!hasPlanner(database)) {
			return;
		}
		BsonDocument find = new BsonDocument("find", question.get(question.getFirstKey())).append("filter", filter)
			.append("sort", question.getDocument("sort", new BsonDocument()));
		assertThat(stages(explain(database, find))).as("%s", question)
			.doesNotContain("COLLSCAN", "SORT")
			.containsAnyOf("IXSCAN", "IDHACK", "EXPRESS_IXSCAN");
	}

	private static boolean hasPlanner(MongoDatabase database) {
		database.getCollection("probe").createIndex(new BsonDocument("a", new BsonInt32(1)));
		try {
			return !stages(
					explain(database, BsonDocument.parse("{find: 'probe', filter: {a: {$gt: 0}}, sort: {a: 1}}")))
				.contains("SORT");
		}
		catch (MongoCommandException ex) {
			// CommandNotFound
			assertThat(ex.getErrorCode()).isEqualTo(59);
			return false;
		}
	}

	private static BsonDocument explain(MongoDatabase database, BsonDocument command) {
		return database
			.runCommand(new BsonDocument("explain", command).append("verbosity", new BsonString("queryPlanner")),
					BsonDocument.class)
			.getDocument("queryPlanner")
			.getDocument("winningPlan");
	}

	private static List<String> stages(BsonValue plan) {
		Stream<BsonValue> parts = plan.isDocument() ? plan.asDocument().values().stream()
				: plan.isArray() ? plan.asArray().stream() : Stream.empty();
		List<String> stages = new ArrayList<>(parts.flatMap((part) -> stages(part).stream()).toList());
		if (plan.isDocument() && plan.asDocument().isString("stage")) {
			stages.add(plan.asDocument().getString("stage").getValue());
		}
		return stages;
	}

	/**
	 * Hears what the service tells MongoDB.
	 */
	@TestConfiguration(proxyBeanMethods = false)
	static class Ear implements CommandListener {

		private final Queue<BsonDocument> commands = new ConcurrentLinkedQueue<>();

		@Bean
		MongoClientSettingsBuilderCustomizer listening() {
			return (settings) -> settings.addCommandListener(this);
		}

		@Override
		public void commandStarted(CommandStartedEvent event) {
			this.commands.add(BsonDocument.parse(event.getCommand().toJson()));
		}

		List<BsonDocument> indexes() {
			List<BsonDocument> indexes = new ArrayList<>(List.of(new BsonDocument("_id", new BsonInt32(1))));
			this.commands.stream()
				.filter((command) -> command.getFirstKey().equals("createIndexes"))
				.flatMap((command) -> command.getArray("indexes").stream())
				.map((index) -> index.asDocument().getDocument("key"))
				.forEach(indexes::add);
			return indexes;
		}

	}

}
