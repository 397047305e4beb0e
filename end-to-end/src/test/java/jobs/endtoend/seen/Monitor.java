package jobs.endtoend.seen;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Postings;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A Prometheus that looks at the services every second, with the alerts as shipped but
 * for their times.
 */
public final class Monitor implements AutoCloseable {

	private static final Path ALERTS = Path.of("../observability/alerts.yml");

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	/** The longest time that one question may cover, at a step of a second. */
	private static final long CHUNK = 10_000_000;

	private final HttpClient http = HttpClient.newHttpClient();

	private final Map<String, Integer> services;

	private final int port = Ports.free();

	private final Child prometheus;

	private Monitor(Path program, Path folder, Map<String, Integer> services, Access access, int faster)
			throws IOException {
		this.services = services;
		Files.writeString(folder.resolve("alerts.yml"), ScaledAlerts.of(Files.readString(ALERTS), faster));
		Files.writeString(folder.resolve("prometheus.yml"),
				"""
						global: {scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s}
						rule_files: [alerts.yml]
						scrape_configs:
						  - job_name: jobs
						    metrics_path: /actuator/prometheus
						    static_configs:
						      - targets: [%s]
						%s""".formatted(services.values()
					.stream()
					.map((port) -> "'127.0.0.1:%d'".formatted(port))
					.collect(Collectors.joining(", ")), door(access)));
		this.prometheus = new Child("Prometheus", folder.resolve("prometheus.log"), Map.of(),
				List.of(program.toString(), "--config.file=" + folder.resolve("prometheus.yml"),
						"--storage.tsdb.path=" + folder.resolve("prometheus"),
						"--web.listen-address=127.0.0.1:" + this.port, "--log.level=warn"));
	}

	private static String door(Access access) {
		return !access.isEncrypted() ? "" : """
				    scheme: https
				    tls_config: {ca_file: '%s'}
				    authorization: {credentials: '%s'}
				""".formatted(access.trust(), access.token().get());
	}

	/**
	 * Starts it where there is a {@code prometheus} on the PATH.
	 * @param folder of its files
	 * @param services the ports of the services, by their names
	 * @param access how to get in there
	 * @param faster how many times shorter the times of the alerts are
	 * @return it, or {@code null} where there is none
	 */
	public static @Nullable Monitor start(Path folder, Map<String, Integer> services, Access access, int faster) {
		Path program = Programs.onPath("prometheus");
		if (program == null) {
			return null;
		}
		try {
			Monitor monitor = new Monitor(program, folder, services, access, faster);
			monitor.prometheus.start().awaitReady(() -> Ports.isListening(monitor.port), START_LIMIT);
			return monitor;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * What an expression is worth now.
	 * @return the value of its one series, or {@code null} where it has none
	 */
	public @Nullable Double value(String expression) {
		JsonNode result = get("/api/v1/query?query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8))
			.get("data")
			.get("result");
		return result.isEmpty() ? null : Double.valueOf(result.get(0).get("value").get(1).asString());
	}

	/**
	 * The alerts that fired.
	 * @param all from when until when
	 * @param leftOut what the labels {@code resource} and {@code about} of those contain
	 * that don't count; nothing where all count
	 */
	List<Sighting> sightings(Span all, String leftOut) {
		List<Sighting> sightings = new ArrayList<>();
		for (Sign sign : Sign.values()) {
			if (sign.alert() != null) {
				for (long from = all.from(); from < all.to(); from += CHUNK) {
					ask(sign, sign.alert(), new Span(from, Math.min(all.to(), from + CHUNK)), leftOut, sightings);
				}
			}
		}
		return sightings;
	}

	private void ask(Sign sign, Sign.Alert alert, Span span, String leftOut, List<Sighting> sightings) {
		StringBuilder query = new StringBuilder("ALERTS{alertstate=\"firing\",alertname=\"" + alert.name() + "\"");
		alert.labels().forEach((name, value) -> query.append(",%s=\"%s\"".formatted(name, value)));
		if (!leftOut.isEmpty()) {
			query.append(",resource!~\".*%1$s.*\",about!~\".*%1$s.*\"".formatted(leftOut));
		}
		JsonNode answer = get("/api/v1/query_range?step=1&start=%s&end=%s&query=%s".formatted(span.from() / 1000.0,
				span.to() / 1000.0, URLEncoder.encode(query + "}", StandardCharsets.UTF_8)));
		for (JsonNode series : answer.get("data").get("result")) {
			String where = alert.ofAService() ? service(series.get("metric").path("instance").asString("")) : "";
			List<Long> times = new ArrayList<>();
			series.get("values").forEach((value) -> times.add((long) (value.get(0).asDouble() * 1000)));
			spans(times).forEach((one) -> sightings.add(new Sighting(sign, where, one, labels(series.get("metric")))));
		}
	}

	private String service(String instance) {
		return this.services.entrySet()
			.stream()
			.filter((service) -> instance.endsWith(":" + service.getValue()))
			.map(Map.Entry::getKey)
			.findFirst()
			.orElse(instance);
	}

	private static String labels(JsonNode metric) {
		return metric.properties()
			.stream()
			.filter((label) -> !label.getKey().startsWith("alert") && !label.getKey().startsWith("__"))
			.map((label) -> label.getKey() + "=" + label.getValue().asString())
			.collect(Collectors.joining(", "));
	}

	/**
	 * Makes spans of instants, each of which stands for a second.
	 */
	static List<Span> spans(List<Long> times) {
		List<Span> spans = new ArrayList<>();
		for (long time : times) {
			long from = (!spans.isEmpty() && time - spans.getLast().to() <= 500) ? spans.removeLast().from() : time;
			spans.add(new Span(from, time + 1000));
		}
		return spans;
	}

	private JsonNode get(String path) {
		try {
			return Postings.json(
					this.http
						.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(this.port, path)))
							.timeout(Duration.ofSeconds(60))
							.build(), BodyHandlers.ofString())
						.body());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.prometheus.kill();
	}

}
