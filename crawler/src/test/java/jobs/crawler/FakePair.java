package jobs.crawler;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the crawler sees of rest-to-kafka, and what MongoDB would have in the end: of each
 * id the highest version. The tests of both together are those of the module
 * {@code end-to-end}.
 */
final class FakePair implements AutoCloseable {

	private final HttpServer server;

	private final Map<String, JsonNode> documents = new ConcurrentSkipListMap<>();

	private final Map<String, Instant> versions = new TreeMap<>();

	private final List<String> conflicts = new ArrayList<>();

	/** Requests that are answered with 503 before one is taken. */
	final AtomicInteger refusals = new AtomicInteger();

	final AtomicInteger requests = new AtomicInteger();

	volatile String refused = "none";

	volatile boolean refusesDeletions;

	/** Uploads that are stored, and answered with 503. */
	final AtomicInteger lostAnswers = new AtomicInteger();

	FakePair() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/postings", this::serve);
		this.server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
		this.server.start();
	}

	String url() {
		return "http://127.0.0.1:%d/postings".formatted(this.server.getAddress().getPort());
	}

	/** What is stored, by the ids. */
	Map<String, JsonNode> documents() {
		return new TreeMap<>(this.documents);
	}

	JsonNode document(String id) {
		return Objects.requireNonNull(this.documents.get(id), id);
	}

	/** One of two documents that have one version. */
	synchronized List<String> conflicts() {
		return List.copyOf(this.conflicts);
	}

	private void serve(HttpExchange exchange) throws IOException {
		this.requests.incrementAndGet();
		byte[] body = exchange.getRequestBody().readAllBytes();
		if (this.refusals.get() > 0 && this.refusals.decrementAndGet() >= 0) {
			answer(exchange, 503, "{\"detail\":\"Kafka is away\"}");
		}
		else if (exchange.getRequestMethod().equals("DELETE") && this.refusesDeletions) {
			answer(exchange, 403, "{\"detail\":\"The key may not delete\"}");
		}
		else if (exchange.getRequestMethod().equals("DELETE")) {
			Map<String, String> parameters = new TreeMap<>();
			for (String parameter : exchange.getRequestURI().getRawQuery().split("&")) {
				String[] pair = parameter.split("=", 2);
				parameters.put(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
			}
			store(parameters.getOrDefault("id", ""), Instant.parse(parameters.getOrDefault("version", "")), null);
			answer(exchange, 202, "");
		}
		else {
			String outcomes = upload(new String(body, StandardCharsets.UTF_8));
			boolean isLost = this.lostAnswers.get() > 0 && this.lostAnswers.decrementAndGet() >= 0;
			answer(exchange, isLost ? 503 : 200, isLost ? "{}" : outcomes);
		}
	}

	private String upload(String body) {
		StringBuilder outcomes = new StringBuilder();
		int lines = 0;
		for (String line : body.lines().toList()) {
			lines++;
			JsonNode document = JsonMapper.shared().readTree(line);
			if (document.path("title").asString("").equals(this.refused)) {
				outcomes.append(
						"{\"line\":%d,\"status\":400,\"detail\":\"The posting breaks the rules\",\"errors\":[{\"pointer\":\"/title\",\"detail\":\"is none\"}]}\n"
							.formatted(lines));
			}
			else {
				store(document.get("postingId").asString(), Instant.parse(document.get("crawledAt").asString()),
						document);
			}
		}
		return outcomes + "{\"lines\":%d,\"accepted\":%d,\"refused\":0}\n".formatted(lines, lines);
	}

	private synchronized void store(String id, Instant version, @org.jspecify.annotations.Nullable JsonNode document) {
		Instant known = this.versions.getOrDefault(id, Instant.MIN);
		if (version.equals(known) && document != null && !document.equals(this.documents.get(id))) {
			this.conflicts.add(id);
		}
		if (!version.isAfter(known)) {
			return;
		}
		this.versions.put(id, version);
		if (document != null) {
			this.documents.put(id, document);
		}
		else {
			this.documents.remove(id);
		}
	}

	private static void answer(HttpExchange exchange, int status, String text) throws IOException {
		byte[] body = text.getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(status, (body.length == 0) ? -1 : body.length);
		try (exchange) {
			if (body.length > 0) {
				exchange.getResponseBody().write(body);
			}
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
