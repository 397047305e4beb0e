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
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.access.Recheck;
import jobs.chassis.operations.Part;
import jobs.chassis.operations.Warnings;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.figures.Figures;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.pipeline.Pipelines;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.health.contributor.Health;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.io.ClassPathResource;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.MediaTypeFactory;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

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

	private final Pipelines pipelines;

	private final List<Part> parts;

	private final Warnings warnings;

	private final Bulkhead places = new Bulkhead(CONSOLES, "Too many consoles are open");

	private volatile boolean stopping;

	ConsoleController(Pipelines pipelines, List<Part> parts, Warnings warnings) {
		this.pipelines = pipelines;
		this.parts = parts;
		this.warnings = warnings;
	}

	@EventListener(ContextClosedEvent.class)
	void stop() {
		this.stopping = true;
	}

	@GetMapping({ "/", "/console.css", "/console.js", "/condition.js", "/charts.js", "/many.js", "/uPlot.iife.min.js",
			"/uPlot.min.css" })
	ResponseEntity<ClassPathResource> file(HttpServletRequest request) {
		String path = request.getServletPath();
		ClassPathResource file = new ClassPathResource("console" + ((path.length() > 1) ? path : "/index.html"));
		return ResponseEntity.ok()
			.contentType(MediaTypeFactory.getMediaType(file).orElse(MediaType.TEXT_HTML))
			.header("Content-Security-Policy", POLICY)
			.header("X-Content-Type-Options", "nosniff")
			.header("Cache-Control", "no-cache")
			.body(file);
	}

	@GetMapping(path = "/console/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
	void events(@RequestParam @Nullable String resource, HttpMethod method, HttpServletRequest request,
			HttpServletResponse response) throws IOException, InterruptedException {
		Resource shown = shown(resource);
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
				Figures.Now now = this.pipelines.get(shown, Figures.class).after(seen);
				send(response.getOutputStream(), state(shown, now));
				seen = now.samples();
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
	private Map<String, @Nullable Object> state(Resource resource, Figures.Now figures) {
		Map<String, @Nullable Object> state = new LinkedHashMap<>();
		state.put("now", Instant.now().toEpochMilli());
		state.put("resources", this.pipelines.resources().names());
		state.put("resource", ResourceState.of(resource));
		state.put("parts",
				Stream.concat(this.parts.stream(), this.pipelines.parts().stream()).map(PartState::of).toList());
		state.put("warnings", this.warnings.raised().stream().map(PartState::of).toList());
		state.putAll(figures.fields());
		return state;
	}

	/** The resource of a name; without one, the first. */
	private Resource shown(@Nullable String name) {
		Resources resources = this.pipelines.resources();
		Resource resource = (name != null) ? resources.find(name) : resources.all().getFirst();
		if (resource == null) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "'resource' must be one of " + resources.names());
		}
		return resource;
	}

	/**
	 * What the page has to know of the resource that it shows.
	 *
	 * @param path where its documents are
	 * @param deadLetters where its dead letters are
	 * @param id the field of an answer that has the id
	 * @param columns JSON Pointers to the fields that are shown of a document
	 * @param findBy the parameters by which documents are found
	 * @param ownIds whether documents bring their id
	 * @param versions whether the newest version of a document stays
	 */
	private record ResourceState(String name, String path, String deadLetters, String id, List<String> columns,
			List<String> findBy, boolean ownIds, boolean versions) {

		static ResourceState of(Resource resource) {
			List<String> columns = resource.hasVersions()
					? Stream.concat(resource.columns().stream(), Stream.of("/_meta/version")).toList()
					: resource.columns();
			return new ResourceState(resource.name(), resource.path(), resource.deadLettersPath(), resource.idField(),
					columns, resource.findBy(), resource.hasOwnIds(), resource.hasVersions());
		}

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
