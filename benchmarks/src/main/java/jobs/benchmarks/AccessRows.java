package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import javax.net.ssl.SSLContext;

import jobs.benchmarks.PostLoad.Outcome;
import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.Step;
import jobs.benchmarks.Session.WarmUp;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.testkit.Authority;
import jobs.testkit.Issuer;
import jobs.testkit.Sha256;

/**
 * What keys, tokens and TLS cost: rest-to-kafka with each of them, beside one that lets
 * whoever comes in.
 */
final class AccessRows {

	private static final String OFF = "off";

	private static final Duration WARM_UP = Duration.ofSeconds(2);

	private static final String KEY = "jobs_of-the-benchmark";

	private static final String GREEDY = "jobs_of-who-is-greedy";

	private static final int POLITE = 10;

	/** Jobs per second of all who are polite. */
	private static final int POLITE_RATE = 500;

	/** Jobs per second of the greedy one, who may send a twentieth of these. */
	private static final int GREEDY_RATE = 2000;

	private static final String ALONE = "polite alone";

	private final Session session;

	private final Feed feed;

	private final Stage stage;

	private final Contestants contestants;

	private final Postings postings;

	private final Path folder;

	private final Authority authority = new Authority("benchmark");

	private final SSLContext tls = this.authority.client(null);

	private final Issuer issuer = new Issuer();

	private final List<Entrant> entrants = new ArrayList<>();

	AccessRows(Session session, Stage stage, Feed feed, Contestants contestants, Postings postings) throws IOException {
		this.session = session;
		this.stage = stage;
		this.feed = feed;
		this.contestants = contestants;
		this.postings = postings;
		this.folder = Files.createDirectories(stage.folder().resolve("access"));
		this.authority.issue(this.folder, "server");
		List<String> keys = new ArrayList<>();
		keys.add(key("benchmark", KEY, ""));
		keys.add(key("greedy", GREEDY, ",\"jobsPerSecond\":" + GREEDY_RATE / 20));
		for (int i = 0; i < POLITE; i++) {
			keys.add(key("polite-" + i, polite(i), ""));
		}
		Files.write(this.folder.resolve("keys"), keys);
	}

	private static String key(String name, String key, String limit) {
		return "{\"name\":\"%s\",\"sha256\":\"%s\",\"roles\":[\"jobs:write\"]%s}".formatted(name, Sha256.of(key),
				limit);
	}

	private static String polite(int number) {
		return "jobs_of-who-is-polite-" + number;
	}

	/** Measures, and ends all that it has started. */
	void measure() throws Exception {
		this.feed.create(this.contestants.topic());
		String token = token("one");
		start(Map.of(), Map.of(OFF, Door.OPEN));
		start(security(), Map.of("API key", new Door(null, () -> KEY), "JWT, cached", new Door(null, () -> token)));
		// in a process of its own: to verify tokens all the time changes how the others'
		// code is compiled
		start(security(), Map.of("JWT, not cached", new Door(null, fresh())));
		start(encryption(), Map.of("TLS", new Door(this.tls, null)));
		Map<String, String> both = new HashMap<>(security());
		both.putAll(encryption());
		start(both, Map.of("TLS and JWT, cached", new Door(this.tls, () -> token)));
		this.session.warmUp(this.entrants.stream().map(this::warmUp).toList());
		Work work = this.session.work("Access: POST, %d connections".formatted(HttpRows.CONNECTIONS), "jobs/s", OFF);
		this.session.rounds(work, this.session.plan().rounds(),
				this.entrants.stream().<Step>map((one) -> () -> throughput(work, one)).toList());
		measureGreed();
		this.entrants.stream().map(Entrant::process).distinct().forEach(this.stage::end);
		this.issuer.close();
	}

	/** What ten clients notice of one that sends twenty times what it may. */
	private void measureGreed() throws Exception {
		Entrant secured = this.entrants.stream().filter((one) -> one.who().equals("API key")).findFirst().orElseThrow();
		AtomicInteger next = new AtomicInteger();
		PostLoad load = secured.load().with(new Door(null, () -> polite(next.getAndIncrement() % POLITE)));
		Entrant alone = new Entrant(ALONE, secured.process(), load);
		Entrant beside = new Entrant("polite beside a greedy one", secured.process(), load);
		PostLoad greedy = secured.load().with(new Door(null, () -> GREEDY));
		// refusals are other code than what has been measured so far
		this.session.warmUp(List.of(new WarmUp("rest-to-kafka, refusing", secured.process(),
				() -> greedy.closed(HttpRows.CONNECTIONS, WARM_UP))));
		Latencies latencies = Latencies.of(this.session,
				"Access: POST of %d clients, %,d jobs/s".formatted(POLITE, POLITE_RATE), ALONE);
		this.session.rounds(latencies.median(), this.session.plan().rounds(),
				List.of(() -> alone.latency(this.session, latencies, POLITE, POLITE_RATE),
						() -> besideGreed(latencies, beside, greedy)));
	}

	private String besideGreed(Latencies latencies, Entrant polite, PostLoad greedy) throws Exception {
		try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
			Future<Outcome> refused = thread
				.submit(() -> greedy.open(POLITE, GREEDY_RATE, this.session.plan().load(), new long[0]));
			String told = polite.latency(this.session, latencies, POLITE, POLITE_RATE);
			Outcome outcome = refused.get();
			return "%s; of the greedy one %,d taken, %,d refused".formatted(told, outcome.answered(), outcome.failed());
		}
	}

	/** More of them than a service keeps; each comes again once all have come. */
	private Supplier<String> fresh() {
		int tokens = this.session.plan().tokens();
		this.session.say("Signing %,d tokens".formatted(tokens));
		List<String> all = IntStream.range(0, tokens).parallel().mapToObj((i) -> token("user-" + i)).toList();
		AtomicInteger next = new AtomicInteger();
		return () -> all.get(next.getAndIncrement() % tokens);
	}

	private String token(String name) {
		return this.issuer.token("jobs:write", (claims) -> claims.subject(name));
	}

	private Map<String, String> security() {
		return Map.of("JOBS_SECURITY_ENABLED", "true", "JOBS_SECURITY_KEYS_FILE",
				this.folder.resolve("keys").toString(), "SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_ISSUER_URI",
				this.issuer.uri().toString(), "SPRING_SECURITY_OAUTH2_RESOURCESERVER_JWT_AUDIENCES", Issuer.AUDIENCE);
	}

	private Map<String, String> encryption() {
		return Map.of("SERVER_SSL_BUNDLE", "http", "SPRING_SSL_BUNDLE_PEM_HTTP_KEYSTORE_CERTIFICATE",
				this.folder.resolve("server.crt").toString(), "SPRING_SSL_BUNDLE_PEM_HTTP_KEYSTORE_PRIVATE_KEY",
				this.folder.resolve("server.key").toString());
	}

	private void start(Map<String, String> settings, Map<String, Door> doors) throws IOException {
		int port = Ports.free();
		Child process = this.stage.launch(this.contestants.rest(port, settings));
		if (settings.containsKey("SERVER_SSL_BUNDLE")) {
			this.stage.awaitReadyByTls(process, port);
		}
		else {
			this.stage.awaitReady(process, port);
		}
		doors.entrySet()
			.stream()
			.sorted(Map.Entry.comparingByKey())
			.forEach((door) -> this.entrants
				.add(new Entrant(door.getKey(), process, new PostLoad(port, this.postings, door.getValue()))));
	}

	private WarmUp warmUp(Entrant one) {
		return new WarmUp("rest-to-kafka, " + one.who(), one.process(), () -> {
			one.load().closed(HttpRows.CONNECTIONS, WARM_UP);
			this.feed.clear(this.contestants.topic());
		});
	}

	private String throughput(Work work, Entrant one) throws Exception {
		String told = one.throughput(this.session, work, HttpRows.CONNECTIONS);
		this.feed.clear(this.contestants.topic());
		return told;
	}

}
