package jobs.endtoend.bounds;

import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.model.Filters;
import jobs.endtoend.pair.Footprint;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import jobs.testkit.Backends;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With a heap of 128 MiB per service, whatever clients do: good requests are answered
 * meanwhile, the slow are cut, and memory, threads and descriptors are given back.
 */
@Tag("long")
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BoundsTests {

	private static final String JSON = "Content-Type: application/json\r\n";

	private static final String NDJSON = "Content-Type: application/x-ndjson\r\n";

	private static final String CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

	/** Waits are shortened to a third. */
	private static final Pair PAIR = new Pair(
			Map.of("SERVER_TOMCAT_CONNECTION_TIMEOUT", "3s", "REST_TO_KAFKA_BODY_TIMEOUT", "3s"));

	private final List<HostileClient> clients = new ArrayList<>();

	private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

	private GoodClient good;

	private Footprint restToKafka;

	private Footprint kafkaToMongo;

	/** Dead letters of tests that ran before. */
	private int deadLetters;

	/** Where a job is read back. */
	private static URI stored;

	@BeforeAll
	static void start() throws IOException {
		PAIR.start();
		stored = URI.create("http://127.0.0.1:%d/jobs/%s".formatted(PAIR.readPort,
				Postings.json(PAIR.post("{\"title\":\"first\"}").body()).get("id").asString()));
		assertThat(PAIR.get(stored, "Prefer", "wait=30").statusCode()).isEqualTo(200);
	}

	@AfterAll
	static void stop() {
		PAIR.close();
	}

	@BeforeEach
	void measure() throws Exception {
		this.good = new GoodClient();
		this.good.awaitAnswers(100);
		this.restToKafka = Footprint.of(PAIR.restToKafka);
		this.kafkaToMongo = Footprint.of(PAIR.kafkaToMongo);
		this.deadLetters = PAIR.deadLetters().size();
	}

	@AfterEach
	void isAsBefore() throws Exception {
		try {
			this.good.stop();
		}
		finally {
			for (HostileClient client : this.clients) {
				client.close();
			}
			this.threads.shutdownNow();
		}
		this.restToKafka.awaitIn(PAIR.restToKafka);
		this.kafkaToMongo.awaitIn(PAIR.kafkaToMongo);
	}

	@Test
	void answersBesideTwoThousandStalledConnections() throws Exception {
		for (int i = 0; i < 500; i++) {
			open(PAIR.port);
			open(PAIR.port).send("POST /jobs HTTP/1.1\r\nHost: a\r\nX-Stalled: ");
			open(PAIR.port).post(JSON + "Content-Length: 100\r\n\r\n{");
			open(PAIR.port).post(NDJSON + CHUNKED + "e\r\n{\"title\":\"a\"}\n\r\n");
		}

		this.good.awaitAnswers(200);
	}

	@Test
	void readsBackBesideTwoThousandStalledConnections() throws Exception {
		for (int i = 0; i < 1000; i++) {
			open(PAIR.readPort).send("GET /jobs HTTP/1.1\r\nHost: a\r\nX-Stalled: ");
			open(PAIR.readPort).send("GET /nope HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{");
		}

		this.good.awaitAnswers(200);
	}

	/**
	 * Tomcat makes room for a form as large as is announced, before it comes.
	 */
	@Test
	void readsNoForms() throws Exception {
		for (int i = 0; i < 500; i++) {
			open(PAIR.readPort).send("POST /dead-letters/replay HTTP/1.1\r\nHost: a\r\n"
					+ "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 2000000\r\n\r\nreason=");
		}

		this.good.awaitAnswers(200);
	}

	/**
	 * In MongoDB's form each job takes six times its size, and many times that while it
	 * is made JSON.
	 */
	@Test
	void readsLargeJobsBackToClientsThatDoNotRead() throws Exception {
		for (int i = 0; i < 30; i++) {
			assertThat(PAIR.post("{\"title\":\"large\",\"x\":[0" + ",0".repeat(131_000) + "]}").statusCode())
				.isEqualTo(202);
		}
		// and not by counting: that reads all documents, which can take the stand-in a
		// minute
		awaitNoLag();
		this.good = new GoodClient();

		for (int i = 0; i < 100; i++) {
			open(PAIR.readPort).send("GET /jobs?limit=100 HTTP/1.1\r\nHost: a\r\n\r\n");
		}

		// those are of one address, which leaves places to others; they are cut after 60
		// s
		try (HttpClient other = HttpClient.newBuilder().localAddress(InetAddress.getByName("127.0.0.2")).build()) {
			for (String path : List.of("/jobs?limit=1", "/dead-letters?limit=1")) {
				HttpRequest request = HttpRequest
					.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(PAIR.readPort, path)))
					.build();
				Awaitility.await()
					.atMost(30, TimeUnit.SECONDS)
					.until(() -> other.send(request, BodyHandlers.discarding()).statusCode() == 200);
			}
		}
		this.good.awaitAnswers(200);
	}

	/**
	 * A byte every half a second, or none at all.
	 */
	@Test
	void cutsSlowHeads() throws Exception {
		List<Callable<Duration>> heads = new ArrayList<>();
		for (int i = 0; i < 100; i++) {
			HostileClient client = open((i % 2 == 0) ? PAIR.port : PAIR.readPort);
			String text = (i % 4 < 2) ? "G" : "";
			heads.add(() -> client.trickle(text));
		}

		assertThat(durations(heads)).allSatisfy((duration) -> assertThat(duration).isLessThan(Duration.ofSeconds(30)));
	}

	/**
	 * Of jobs, which would fill the memory that all share; of lines; and of what is
	 * refused at once.
	 */
	@Test
	void cutsSlowBodies() throws Exception {
		List<Callable<Duration>> bodies = new ArrayList<>();
		for (int i = 0; i < 70; i++) {
			HostileClient job = open(PAIR.port);
			job.post(JSON + "Content-Length: 260000\r\n\r\n" + " ".repeat(200_000));
			bodies.add(() -> job.trickle(" "));
			HostileClient line = open(PAIR.port);
			line.post(NDJSON + CHUNKED);
			bodies.add(() -> line.trickle("1\r\n \r\n"));
			HostileClient refused = open((i % 2 == 0) ? PAIR.port : PAIR.readPort);
			refused.send("POST /nope HTTP/1.1\r\nHost: a\r\n" + CHUNKED);
			bodies.add(() -> refused.trickle("1\r\n \r\n"));
		}

		assertThat(durations(bodies)).allSatisfy((duration) -> assertThat(duration).isLessThan(Duration.ofSeconds(30)));
	}

	/**
	 * An outcome is fifty times as long as its line.
	 */
	@Test
	void cutsSlowReaders() throws Exception {
		String lines = "4000\r\n" + "x\n".repeat(0x2000) + "\r\n";
		List<Callable<Duration>> uploads = new ArrayList<>();
		for (int i = 0; i < 10; i++) {
			HostileClient client = open(PAIR.port);
			client.post(NDJSON + CHUNKED);
			this.threads.submit(client::readSlowly);
			uploads.add(() -> client.send(lines, Long.MAX_VALUE));
		}

		assertThat(durations(uploads))
			.allSatisfy((duration) -> assertThat(duration).isLessThan(Duration.ofSeconds(60)));
	}

	@Test
	void refusesBodiesOfThirtyMegabytesFromTwoHundredClients() throws Exception {
		String part = " ".repeat(1_000_000);
		List<Callable<String>> uploads = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			HostileClient client = open(PAIR.port);
			boolean chunked = (i % 2 == 0);
			uploads.add(() -> {
				client.post(JSON + (chunked ? CHUNKED : "Content-Length: 30000000\r\n\r\n"));
				client.send(chunked ? "f4240\r\n" + part + "\r\n" : part, 30);
				return client.status();
			});
		}

		List<String> answers = new ArrayList<>();
		for (Future<String> status : this.threads.invokeAll(uploads)) {
			answers.add(status.get());
		}
		// a client that goes on sending can lose its answer, but not each does
		assertThat(answers).isSubsetOf("413", "503", "").filteredOn("413"::equals).hasSizeGreaterThan(50);
		this.good.awaitAnswers(20);
	}

	/**
	 * After the minute for which a refused request is read; shorter limits have
	 * DrainingValveTests.
	 */
	@Test
	@Tag("night")
	void endsChunksWithoutEnd() throws Exception {
		String chunk = "10000\r\n" + "x".repeat(0x10000) + "\r\n";
		List<Callable<Duration>> endless = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			HostileClient client = open(PAIR.port);
			client.post(((i % 2 == 0) ? JSON : NDJSON) + CHUNKED);
			endless.add(() -> client.send(chunk, Long.MAX_VALUE));
		}

		assertThat(durations(endless))
			.allSatisfy((duration) -> assertThat(duration).isLessThan(Duration.ofSeconds(90)));
	}

	/**
	 * Every tenth line is a job. {@code -Dbounds.bytes=10000000000} sends ten gigabytes.
	 */
	@Test
	void takesAnUploadOfAnySize() throws Exception {
		String text = "x".repeat(8000);
		String lines = "{\"title\":\"" + text + "\"}\n" + ("{\"nonsense\":\"" + text + "\"}\n").repeat(9);
		long times = Long.getLong("bounds.bytes", 200_000_000L) / lines.length();
		HostileClient client = open(PAIR.port);
		client.post(NDJSON + CHUNKED);
		Future<Long> outcomes = this.threads.submit(client::countLines);

		client.send(Integer.toHexString(lines.length()) + "\r\n" + lines + "\r\n", times);
		client.send("0\r\n\r\n");

		assertThat(outcomes.get(60, TimeUnit.SECONDS)).isEqualTo(times * 10);
		this.good.awaitAnswers(20);
		awaitNoLag();
		assertThat(PAIR.documents().countDocuments(Filters.eq("title", text))).isEqualTo(times);
	}

	/**
	 * Every second one of the large jobs is six times as large in the form that MongoDB
	 * takes. {@code -Dbounds.jobs=1000000} sends a million small ones.
	 */
	@Test
	void storesWhatHasPiledUp() throws Exception {
		int small = Integer.getInteger("bounds.jobs", 50_000);
		this.good.stop();
		PAIR.kafkaToMongo.close();
		try (KafkaProducer<String, String> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka(), "linger.ms", "20"), new StringSerializer(),
				new StringSerializer())) {
			for (int i = 0; i < small; i++) {
				producer.send(new ProducerRecord<>(PAIR.topic, "{\"title\":\"small\"}"));
			}
			String text = "{\"title\":\"" + "x".repeat(256 * 1024 - 12) + "\"}";
			String values = "{\"title\":\"many\",\"x\":[0" + ",0".repeat(131_000) + "]}";
			for (int i = 0; i < 100; i++) {
				producer.send(new ProducerRecord<>(PAIR.topic, text));
				producer.send(new ProducerRecord<>(PAIR.topic, values));
			}
		}

		PAIR.kafkaToMongo.start();
		PAIR.awaitReady(PAIR.kafkaToMongo);
		this.good = new GoodClient();
		this.good.awaitAnswers(100);
		this.kafkaToMongo = Footprint.of(PAIR.kafkaToMongo);
		awaitNoLag();

		assertThat(PAIR.deadLetters()).hasSize(this.deadLetters);
		assertThat(PAIR.documents().countDocuments(Filters.eq("title", "small"))).isEqualTo(small);
		assertThat(PAIR.documents().countDocuments(Filters.eq("title", "many"))).isEqualTo(100);
	}

	/**
	 * They fit into one fetch, and each is in memory as bytes, as text and in MongoDB's
	 * form while it is kept.
	 */
	@Test
	void keepsLargeDeadLettersThatHavePiledUp() throws Exception {
		this.good.stop();
		String value = "{\"x\":\"" + "x".repeat(1_000_000) + "\"}";
		ProcessHandle process = PAIR.kafkaToMongo.handle();
		try (KafkaProducer<String, String> producer = compressing()) {
			for (int i = 0; i < 60; i++) {
				producer.send(new ProducerRecord<>(PAIR.deadLetterTopic, "piled-up", value));
			}
		}

		awaitOfLiving(process, () -> PAIR.keptDeadLetters().countDocuments(Filters.eq("job", "piled-up")) == 60);
	}

	/**
	 * What is wrong with the first kind is found last, when all of a document is in
	 * memory, and two are read at once. The second kind says that rest-to-kafka accepted
	 * it, and is larger than any that this heap can check.
	 */
	@Test
	void refusesLargeRecordsOfOthers() throws Exception {
		String untitled = "{\"x\":[{}" + ",{}".repeat(349_000) + "]}";
		String huge = "{\"title\":\"huge\",\"x\":[0" + ",0".repeat(2_000_000) + "]}";
		ProcessHandle process = PAIR.kafkaToMongo.handle();
		try (KafkaProducer<String, String> producer = compressing()) {
			for (int i = 0; i < 6; i++) {
				producer.send(new ProducerRecord<>(PAIR.topic, "untitled-" + i, untitled));
			}
			ProducerRecord<String, String> accepted = new ProducerRecord<>(PAIR.topic, "huge", huge);
			accepted.headers().add("contract", "0".repeat(64).getBytes(StandardCharsets.UTF_8));
			producer.send(accepted);
		}

		awaitOfLiving(process, () -> PAIR.deadLetters().size() == this.deadLetters + 7);
		this.good.awaitAnswers(20);
	}

	/**
	 * Kafka has a few hundred kilobytes of them, and every tenth one is six times as
	 * large in MongoDB's form. All have one id and are stored once, since it is this
	 * service's memory that is tried.
	 */
	@Test
	@Tag("night")
	void storesWhatUnfoldsToHalfAGigabyte() throws Exception {
		this.good.stop();
		String text = "{\"title\":\"unfolded\",\"x\":\"" + "x".repeat(990_000) + "\"}";
		String values = "{\"title\":\"unfolded\",\"x\":[0" + ",0".repeat(490_000) + "]}";
		try (KafkaProducer<String, String> producer = compressing()) {
			for (int i = 0; i < 500; i++) {
				boolean isText = (i % 10 != 0);
				producer.send(new ProducerRecord<>(PAIR.topic, isText ? "text" : "values", isText ? text : values));
			}
		}

		awaitNoLag();

		assertThat(PAIR.deadLetters()).hasSize(this.deadLetters);
		assertThat(PAIR.documents().countDocuments(Filters.eq("title", "unfolded"))).isEqualTo(2);
	}

	/** Its batches have many megabytes, and take a few kilobytes in Kafka. */
	private static KafkaProducer<String, String> compressing() {
		return new KafkaProducer<>(Map.of("bootstrap.servers", Backends.get().kafka(), "linger.ms", "1000",
				"compression.type", "zstd", "batch.size", 64 * 1024 * 1024, "buffer.memory", 128L * 1024 * 1024,
				"max.request.size", 64 * 1024 * 1024), new StringSerializer(), new StringSerializer());
	}

	private HostileClient open(int port) throws IOException {
		HostileClient client = new HostileClient(port);
		this.clients.add(client);
		return client;
	}

	private List<Duration> durations(List<Callable<Duration>> clients) throws Exception {
		List<Duration> durations = new ArrayList<>();
		for (Future<Duration> client : this.threads.invokeAll(clients)) {
			durations.add(client.get());
		}
		this.good.awaitAnswers(20);
		return durations;
	}

	/** Awaits what a process does, and fails at once where it has ended. */
	private static void awaitOfLiving(ProcessHandle process, Callable<Boolean> isDone) {
		Awaitility.await().atMost(120, TimeUnit.SECONDS).until(() -> !process.isAlive() || isDone.call());
		assertThat(process.isAlive()).isTrue();
	}

	private void awaitNoLag() throws Exception {
		this.good.stop();
		Awaitility.await().atMost(30, TimeUnit.MINUTES).until(() -> PAIR.lag() == 0);
	}

	/**
	 * Posts jobs and reads one back all the time.
	 */
	private static final class GoodClient {

		private volatile int answers;

		private volatile boolean stopping;

		private final CompletableFuture<Void> end = CompletableFuture.runAsync(this::run, Thread::startVirtualThread);

		private void run() {
			try {
				while (!this.stopping) {
					int posted = PAIR.post("{\"title\":\"good\"}").statusCode();
					int read = PAIR.get(stored).statusCode();
					assertThat(posted).isIn(202, 503);
					assertThat(read).isIn(200, 503);
					if (posted == 503 || read == 503) {
						// which asks to come again after a second
						Thread.sleep(1000);
						continue;
					}
					this.answers++;
				}
			}
			catch (IOException | InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		void awaitAnswers(int more) {
			int before = this.answers;
			Awaitility.await()
				.atMost(120, TimeUnit.SECONDS) // the slow are cut after 60
				.until(() -> this.end.isDone() || this.answers >= before + more);
		}

		/**
		 * Ends, and fails when an answer was not a good one.
		 */
		void stop() throws Exception {
			this.stopping = true;
			this.end.get(60, TimeUnit.SECONDS);
		}

	}

}
