package jobs.kafkatomongo.console;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.access.Recheck;
import jobs.chassis.operations.Part;
import jobs.chassis.operations.Warnings;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.lag.ConsumerLag;
import jobs.kafkatomongo.lag.TopicRetention;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.health.contributor.Health;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.MediaTypeFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the console: a page at {@code /}, and its live data as server-sent events. */
@RestController
class ConsoleController {

	/** Consoles that are open; beyond: 503. */
	private static final int CONSOLES = 20;

	/** Life of a console's connection, then it connects again. */
	private static final Duration CONSOLE_TIME = Duration.ofSeconds(600);

	private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
			+ " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

	/** The time between two events. */
	private static final Duration REFRESH = Duration.ofSeconds(1);

	/** After a connection's end the browser makes another within a second. */
	private static final byte[] RECONNECT = "retry: 1000\n\n".getBytes(StandardCharsets.UTF_8);

	private static final JsonMapper JSON = new JsonMapper();

	private final String topic;

	private final ConsumerLag lag;

	private final TopicRetention retention;

	private final List<Part> parts;

	private final Warnings warnings;

	private final OpenDeadLetters deadLetters;

	private final Sampler.History history;

	private final Bulkhead places = new Bulkhead(CONSOLES, "Too many consoles are open");

	private volatile boolean stopping;

	ConsoleController(KafkaToMongoProperties properties, ConsumerLag lag, TopicRetention retention, List<Part> parts,
			Warnings warnings, OpenDeadLetters deadLetters, Sampler sampler) {
		this.topic = properties.topic();
		this.lag = lag;
		this.retention = retention;
		this.parts = parts;
		this.warnings = warnings;
		this.deadLetters = deadLetters;
		this.history = sampler.history();
	}

	@EventListener(ContextClosedEvent.class)
	void stop() {
		this.stopping = true;
	}

	@GetMapping({ "/", "/console.css", "/console.js", "/condition.js", "/charts.js", "/many.js", "/uPlot.iife.min.js",
			"/uPlot.min.css" })
	ResponseEntity<Resource> file(HttpServletRequest request) {
		String path = request.getServletPath();
		Resource file = new ClassPathResource("console" + ((path.length() > 1) ? path : "/index.html"));
		return ResponseEntity.ok()
			.contentType(MediaTypeFactory.getMediaType(file).orElse(MediaType.TEXT_HTML))
			.header("Content-Security-Policy", POLICY)
			.header("X-Content-Type-Options", "nosniff")
			.header("Cache-Control", "no-cache")
			.body(file);
	}

	@GetMapping(path = "/console/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	void events(HttpMethod method, HttpServletRequest request, HttpServletResponse response)
			throws IOException, InterruptedException {
		if (method == HttpMethod.HEAD) {
			response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
			return;
		}
		try (Bulkhead.Taken _ = this.places.takeAtOnce(request)) {
			response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
			response.setHeader("Cache-Control", "no-store");
			BooleanSupplier mayGoOn = Recheck.of(request);
			long start = System.nanoTime();
			long seen = 0;
			response.getOutputStream().write(RECONNECT);
			while (!this.stopping && mayGoOn.getAsBoolean() && System.nanoTime() - start < CONSOLE_TIME.toNanos()) {
				Sampler.History.Part samples = this.history.after(seen);
				send(response.getOutputStream(), state(seen == 0, samples));
				seen = samples.count();
				Thread.sleep(REFRESH);
			}
		}
	}

	private static void send(OutputStream out, Map<String, @Nullable Object> state) throws IOException {
		out.write(("data: " + JSON.writeValueAsString(state) + "\n\n").getBytes(StandardCharsets.UTF_8));
		out.flush();
	}

	/**
	 * The data of the page. All times are of this service's clock, and {@code now} is,
	 * too: the clock of a browser may differ.
	 */
	private Map<String, @Nullable Object> state(boolean first, Sampler.History.Part samples) {
		ConsumerLag.Snapshot lag = this.lag.snapshot();
		boolean known = lag.at().isAfter(Instant.EPOCH);
		Map<String, @Nullable Object> state = new LinkedHashMap<>();
		state.put("now", Instant.now().toEpochMilli());
		state.put("parts", this.parts.stream().map(PartState::of).toList());
		state.put("warnings", this.warnings.raised().stream().map(PartState::of).toList());
		state.put("topic", this.topic);
		state.put("measuredAt", known ? lag.at().toEpochMilli() : null);
		state.put("recent", lag.isRecent());
		state.put("published", known ? lag.published() : null);
		state.put("waiting", known ? lag.waiting() : null);
		state.put("oldest", (lag.oldest() != null) ? lag.oldest().toEpochMilli() : null);
		state.put("retention", millis(this.retention.duration()));
		state.put("deadLetters", this.deadLetters.count());
		state.put("history", first);
		state.put("samples", samples.samples().stream().map(ConsoleController::row).toList());
		return state;
	}

	private static @Nullable Long millis(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() : null;
	}

	/** A sample as an array, since there are hundreds. */
	private static @Nullable Object[] row(Sampler.History.Sample one) {
		return new @Nullable Object[] { one.at().toEpochMilli(), one.accepted(), one.stored(), one.waiting(),
				one.median(), one.p99(), one.deadLetters() };
	}

	/**
	 * How a part is, as the page gets it, or what the service warns of.
	 *
	 * @param state {@code UP}, or another status of Spring Boot's
	 * @param reason why it is not up, or what is wrong, in a sentence
	 * @param since since when that is so, in milliseconds since 1970
	 */
	private record PartState(String name, String state, @Nullable String reason, @Nullable Long since) {

		static PartState of(Warnings.Raised warning) {
			return new PartState(warning.about(), "WARNING", warning.reason(), warning.since().toEpochMilli());
		}

		static PartState of(Part part) {
			Health health = part.health();
			Map<String, Object> details = health.getDetails();
			Object reason = details.get("reason");
			return new PartState(part.part(), health.getStatus().getCode(),
					(reason != null) ? Objects.toString(reason) : null,
					(details.get("since") instanceof Instant since) ? since.toEpochMilli() : null);
		}

	}

}
