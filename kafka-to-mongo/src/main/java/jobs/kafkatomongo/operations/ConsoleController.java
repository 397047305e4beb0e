package jobs.kafkatomongo.operations;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.mongodb.MongoException;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.http.Places;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.outage.ListenerHealth;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.MediaType;
import org.springframework.http.MediaTypeFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the console: a page at {@code /}, and its live data as server-sent events. */
@RestController
class ConsoleController {

	private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
			+ " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

	/** The time between two events. */
	private static final Duration REFRESH = Duration.ofSeconds(1);

	private static final JsonMapper JSON = new JsonMapper();

	private final Backlog backlog;

	private final DeadLetterCollection deadLetters;

	private final ListenerHealth listener;

	private final MeterRegistry meters;

	private final Places places = new Places(Limits.CONSOLES, "Too many consoles are open");

	private volatile boolean stopping;

	ConsoleController(Backlog backlog, DeadLetterCollection deadLetters, ListenerHealth listener,
			MeterRegistry meters) {
		this.backlog = backlog;
		this.deadLetters = deadLetters;
		this.listener = listener;
		this.meters = meters;
	}

	@EventListener(ContextClosedEvent.class)
	void stop() {
		this.stopping = true;
	}

	@GetMapping({ "/", "/console.css", "/console.js" })
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
	void events(HttpServletResponse response) throws IOException, InterruptedException {
		try (Places.Taken _ = this.places.takeAtOnce()) {
			response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
			response.setHeader("Cache-Control", "no-store");
			long start = System.nanoTime();
			MeanLatency latency = new MeanLatency(this.meters.find("jobs.end.to.end").timer());
			while (!this.stopping && System.nanoTime() - start < Limits.CONSOLE_TIME.toNanos()) {
				send(response.getOutputStream(), state(latency));
				Thread.sleep(REFRESH);
			}
		}
	}

	private static void send(OutputStream out, Map<String, Object> state) throws IOException {
		out.write(("data: " + JSON.writeValueAsString(state) + "\n\n").getBytes(StandardCharsets.UTF_8));
		out.flush();
	}

	private Map<String, Object> state(MeanLatency latency) {
		Backlog.Snapshot backlog = this.backlog.snapshot();
		Map<String, Object> state = new LinkedHashMap<>();
		state.put("measuredAt", backlog.at().toEpochMilli());
		// computed here, since the clock of a browser may differ
		state.put("age", Duration.between(backlog.at(), Instant.now()).toMillis());
		state.put("published", backlog.published());
		state.put("waiting", backlog.waiting());
		state.put("oldest", (backlog.oldest() != null) ? backlog.oldest().toEpochMilli() : null);
		state.put("latency", latency.next());
		state.put("listener", this.listener.health().getStatus().getCode());
		state.put("deadLetters", openDeadLetters());
		return state;
	}

	private @Nullable Long openDeadLetters() {
		try {
			return this.deadLetters.countOpen();
		}
		catch (MongoException ex) {
			return null;
		}
	}

	/** The mean latency, in milliseconds, of the jobs stored since the last call. */
	private static final class MeanLatency {

		private final @Nullable Timer timer;

		private long count;

		private double total;

		/**
		 * Begins at this call; without a timer, as where it is switched off, none is
		 * known.
		 */
		MeanLatency(@Nullable Timer timer) {
			this.timer = timer;
			next();
		}

		@Nullable Double next() {
			if (this.timer == null) {
				return null;
			}
			long count = this.timer.count() - this.count;
			double total = this.timer.totalTime(TimeUnit.MILLISECONDS) - this.total;
			this.count += count;
			this.total += total;
			return (count > 0) ? total / count : null;
		}

	}

}
