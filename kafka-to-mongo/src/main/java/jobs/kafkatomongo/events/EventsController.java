package jobs.kafkatomongo.events;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.mongodb.MongoException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.access.Recheck;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.http.EndsWaits;
import jobs.kafkatomongo.http.QueryParameters;
import jobs.kafkatomongo.http.ResourceController;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * {@code GET /jobs/events}: what is stored, as server-sent events (WHATWG HTML, 9.2).
 * Each has its position as its id, behind which a client goes on with
 * {@code Last-Event-ID}. So has a sign of life, so that a client of a quiet resource
 * keeps its place among what others store.
 */
@RestController
class EventsController implements ResourceController, EndsWaits {

	/** Life of a connection for events, then the client connects again. */
	private static final Duration EVENTS_TIME = Duration.ofSeconds(120);

	/** Silence after which a client that waits for events gets a sign of life. */
	private static final Duration EVENTS_SILENCE = Duration.ofSeconds(10);

	/** After a connection's end a browser makes another within a second. */
	private static final String RECONNECT = "retry: 1000\n";

	private static final JsonMapper JSON = new JsonMapper();

	private final Resource resource;

	private final ChangeStreams changeStreams;

	private final StoredEvents storedEvents;

	private final Bulkhead places;

	private volatile boolean stopping;

	EventsController(Resource resource, ChangeStreams changeStreams, StoredEvents storedEvents, Bulkhead eventStreams) {
		this.resource = resource;
		this.changeStreams = changeStreams;
		this.storedEvents = storedEvents;
		this.places = eventStreams;
	}

	@Override
	public String path() {
		return this.resource.path();
	}

	@Override
	public void endWaits() {
		this.stopping = true;
	}

	/** It comes before the document with this id, which {@code ?id=events} finds. */
	@GetMapping("/events")
	void events(@RequestHeader(name = "Last-Event-ID", required = false) @Nullable String lastEventId,
			HttpMethod method, HttpServletRequest request, HttpServletResponse response)
			throws IOException, InterruptedException {
		QueryParameters.requireKnown(request, List.of());
		String position = (lastEventId != null && !lastEventId.isBlank()) ? lastEventId.strip() : null;
		try (Bulkhead.Taken _ = this.places.takeAtOnce(request)) {
			this.changeStreams.requireKnown();
			boolean areOfDatabase = this.changeStreams.areThere();
			try (EventStream events = open(position, areOfDatabase)) {
				response.setContentType(MediaType.TEXT_EVENT_STREAM_VALUE);
				response.setHeader("Cache-Control", "no-store");
				if (method != HttpMethod.HEAD) {
					write(events, areOfDatabase ? Source.DATABASE : Source.INSTANCE, Recheck.of(request),
							response.getOutputStream());
				}
			}
			catch (LostEventsException | MongoException ex) {
				if (!response.isCommitted()) {
					throw ex;
				}
				// the client asks again, and is told why
			}
		}
	}

	private EventStream open(@Nullable String position, boolean areOfDatabase) {
		if (position == null) {
			return areOfDatabase ? this.changeStreams.open(null) : this.storedEvents.open(null);
		}
		boolean isOfDatabase = ChangeStreams.isPosition(position);
		if (!isOfDatabase && !StoredEvents.isPosition(position)) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"'Last-Event-ID' must be the id of an event that came from here");
		}
		if (isOfDatabase != areOfDatabase) {
			throw new LostEventsException();
		}
		return areOfDatabase ? this.changeStreams.open(position) : this.storedEvents.open(position);
	}

	private void write(EventStream events, Source source, BooleanSupplier mayGoOn, OutputStream out)
			throws IOException, InterruptedException {
		long start = System.nanoTime();
		long written = start;
		out.write(bytes(RECONNECT + "event: source\n" + lines(events.position(), source)));
		out.flush();
		while (!this.stopping && mayGoOn.getAsBoolean() && System.nanoTime() - start < EVENTS_TIME.toNanos()) {
			DocumentEvent event = events.next();
			if (event != null) {
				out.write(bytes(lines(events.position(), event)));
				written = System.nanoTime();
			}
			else if (System.nanoTime() - written >= EVENTS_SILENCE.toNanos()) {
				out.write(bytes(lines(events.position(), null)));
				written = System.nanoTime();
			}
			if (!events.hasNext()) {
				out.flush();
			}
		}
	}

	private static String lines(@Nullable String position, @Nullable Object data) {
		return ((position != null) ? "id: " + position + "\n" : ":\n")
				+ ((data != null) ? "data: " + JSON.writeValueAsString(data) + "\n\n" : "\n");
	}

	private static byte[] bytes(String lines) {
		return lines.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Where events come from, which the first one tells.
	 *
	 * @param source {@code database} or {@code instance}
	 * @param detail what is left out, in words
	 */
	@JsonInclude(Include.NON_NULL)
	private record Source(String source, @Nullable String detail) {

		static final Source DATABASE = new Source("database", null);

		static final Source INSTANCE = new Source("instance",
				"This MongoDB has no change streams: these are the events of what this instance of kafka-to-mongo stores");

	}

}
