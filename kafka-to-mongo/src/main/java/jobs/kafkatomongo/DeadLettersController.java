package jobs.kafkatomongo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Filters;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * {@code /dead-letters}: what could not be stored, and what to do with it.
 */
@RestController
@RequestMapping(path = "/dead-letters", produces = MediaType.APPLICATION_JSON_VALUE)
class DeadLettersController {

	/** Dead letters that one request replays; it can be repeated while some are left. */
	static final int MAX_REPLAYS = 1000;

	private static final long BODY_SECONDS = 10;

	/** An address in numbers, or a name without a dot, which no stranger can register. */
	private static final Pattern LOCAL_NAME = Pattern.compile("[\\d.]+|\\[[0-9a-fA-F:.]+]|[\\w-]+");

	/** Of 2 KB that the head of an answer may have. */
	private static final int MAX_LOCATION = 1024;

	private static final String TOO_MANY_REPLAYS = "Too many replays at once";

	private final DeadLetterStore store;

	private final Replays replays;

	private final JobParser parser;

	private final JsonAnswers answers;

	private final int maxSize;

	private final List<String> consoleHosts;

	/** Requests that hold a correction, of up to a megabyte each. */
	private final Semaphore reading = new Semaphore(16);

	/** Requests that publish, of up to some megabytes each. */
	private final Semaphore working = new Semaphore(2);

	DeadLettersController(DeadLetterStore store, Replays replays, JobParser parser, JsonAnswers answers,
			KafkaToMongoProperties properties) {
		this.store = store;
		this.replays = replays;
		this.parser = parser;
		this.answers = answers;
		this.maxSize = Math.toIntExact(properties.maxJobSize().toBytes());
		this.consoleHosts = properties.consoleHosts();
	}

	/**
	 * The path of a dead letter.
	 */
	static String address(BsonDocument deadLetter) {
		return "/dead-letters/" + URLEncoder.encode(deadLetter.getString("_id").getValue(), StandardCharsets.UTF_8);
	}

	/**
	 * No page of another site may change something here on behalf of who looks at it: a
	 * browser tells where a page comes from. Nor may one whose name leads here for a
	 * moment (DNS rebinding): names that anybody can have must be known. One that is
	 * known may be that of a proxy, which has another name for this service.
	 */
	@ModelAttribute
	void refuseOtherSites(@RequestHeader @Nullable String origin, @RequestHeader(defaultValue = "") String host,
			HttpMethod method) {
		if (origin == null || method == HttpMethod.GET) {
			return;
		}
		String site = origin.replaceFirst("^\\w+://", "");
		if (!site.equals(host) && !isKnown(site)) {
			throw new ResponseStatusException(HttpStatus.FORBIDDEN,
					"Another site's page may not do this; if '%s' is the console's, name it in KAFKA_TO_MONGO_CONSOLE_HOSTS"
						.formatted(site));
		}
		String name = site.replaceFirst(":\\d+$", "");
		if (!LOCAL_NAME.matcher(name).matches() && !isKnown(name) && !isKnown(site)) {
			throw new ResponseStatusException(HttpStatus.FORBIDDEN,
					"The console may be opened as '%s' once KAFKA_TO_MONGO_CONSOLE_HOSTS has that name"
						.formatted(name));
		}
	}

	private boolean isKnown(String site) {
		return this.consoleHosts.stream().anyMatch(site::equalsIgnoreCase);
	}

	@GetMapping
	void list(DeadLetterSelection selection, @RequestParam(defaultValue = "20") int limit,
			@RequestParam @Nullable String after, HttpServletResponse response)
			throws IOException, InterruptedException {
		JsonAnswers.requireLimit(limit);
		Position position = JsonAnswers.position(after);
		Bson filter = selection.filter();
		this.answers.writePage(response, (out) -> {
			try (MongoCursor<BsonDocument> page = this.store.list(filter, position, limit).iterator()) {
				JsonAnswers.page(out, "deadLetters", page, limit, DeadLettersController::json,
						(last) -> selection.next(limit, Position.of(last, DeadLetterStore.FIRST_SEEN)));
			}
		});
	}

	@GetMapping("/{id}")
	void get(@PathVariable String id, HttpServletResponse response) throws IOException, InterruptedException {
		this.answers.writeOne(response, (out) -> out.println(json(require(id))));
	}

	@PostMapping("/{id}/replay")
	ResponseEntity<Map<String, Object>> replay(@PathVariable String id, HttpServletRequest request)
			throws IOException, InterruptedException {
		JsonAnswers.acquire(this.reading, TOO_MANY_REPLAYS);
		try {
			byte @Nullable [] corrected = read(request);
			JsonAnswers.acquire(this.working, TOO_MANY_REPLAYS);
			try {
				return replay(require(id), corrected);
			}
			finally {
				this.working.release();
			}
		}
		finally {
			this.reading.release();
		}
	}

	private ResponseEntity<Map<String, Object>> replay(BsonDocument deadLetter, byte @Nullable [] corrected) {
		if (!Replays.canCorrect(deadLetter)) {
			throw new ResponseStatusException(HttpStatus.CONFLICT,
					"Its key is not kept here (it was too large, or the document was edited), and without it would be another job: send it again yourself");
		}
		if (corrected != null) {
			requireJob(deadLetter, corrected);
		}
		else if (!Replays.canReplay(deadLetter)) {
			throw new ResponseStatusException(HttpStatus.CONFLICT,
					"It is not kept here as it was (it was too large, or the document was edited): replay it with a corrected body");
		}
		String position;
		try {
			position = this.replays.replay(deadLetter, corrected);
		}
		catch (RecordTooLargeException ex) {
			throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE, "The topic does not take so large a job",
					ex);
		}
		String job = deadLetter.getString("job").getValue();
		ResponseEntity.BodyBuilder answer = ResponseEntity.accepted().contentType(MediaType.APPLICATION_JSON);
		String location = UriComponentsBuilder.fromPath("/jobs/{id}").encode().buildAndExpand(job).toString();
		if (location.length() <= MAX_LOCATION) {
			answer.header("Location", location);
		}
		return answer.body(Map.of("id", job, "position", position));
	}

	@PostMapping("/replay")
	Map<String, Object> replayAll(DeadLetterSelection selection, HttpServletRequest request)
			throws InterruptedException {
		boolean dry = DeadLetterSelection.isDry(request);
		// those that come back, while this runs or before it is repeated, are not
		// selected again
		Instant to = selection.end(Instant.now().truncatedTo(ChronoUnit.MILLIS));
		Bson filter = Replays
			.canReplay(Filters.and(selection.ofOpen(request), Filters.lte(DeadLetterStore.FIRST_SEEN, to)));
		if (dry) {
			return Map.of("matched", this.store.count(filter), "to", to.toString());
		}
		JsonAnswers.acquire(this.working, TOO_MANY_REPLAYS);
		try {
			Replays.Count count = this.replays.replayAll(filter, MAX_REPLAYS);
			return Map.of("replayed", count.replayed(), "skipped", count.skipped(), "left",
					count.all() ? 0 : left(filter, count), "to", to.toString());
		}
		finally {
			this.working.release();
		}
	}

	/**
	 * How many are still to be replayed, some at least where that takes too long to tell.
	 */
	private long left(Bson filter, Replays.Count count) {
		try {
			return Math.max(0, this.store.count(filter) - count.skipped());
		}
		catch (MongoException ex) {
			// to count them takes too long; what was replayed was replayed
			return 1;
		}
	}

	@DeleteMapping("/{id}")
	ResponseEntity<Void> discard(@PathVariable String id) {
		if (!this.store.discard(id)) {
			throw notFound();
		}
		return ResponseEntity.noContent().build();
	}

	@DeleteMapping
	Map<String, Object> discardAll(DeadLetterSelection selection, HttpServletRequest request) {
		boolean dry = DeadLetterSelection.isDry(request);
		Bson filter = selection.ofOpen(request);
		return dry ? Map.of("matched", this.store.count(filter)) : Map.of("discarded", this.store.discardAll(filter));
	}

	private BsonDocument require(String id) {
		BsonDocument deadLetter = this.store.find(id);
		if (deadLetter == null) {
			throw notFound();
		}
		return deadLetter;
	}

	private static ResponseStatusException notFound() {
		return new ResponseStatusException(HttpStatus.NOT_FOUND,
				"There is no such dead letter; a # in its id is %23 in an address");
	}

	private void requireJob(BsonDocument deadLetter, byte[] corrected) {
		try {
			this.replays.check(this.parser, deadLetter, corrected);
		}
		catch (BadJobException ex) {
			ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST,
					ex.rules().isEmpty() ? ex.detail() : "The job breaks the rules of its contract");
			problem.setProperty("reason", ex.reason().toString());
			problem.setProperty("errors",
					ex.rules()
						.stream()
						.map((rule) -> Map.of("pointer", rule.pointer(), "detail", rule.detail()))
						.toList());
			throw new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, ex);
		}
	}

	/**
	 * Reads a body that is no larger than a job and takes no longer than it may.
	 * @return the body, {@code null} where there is none
	 */
	private byte @Nullable [] read(HttpServletRequest request) throws IOException {
		long start = System.nanoTime();
		ByteArrayOutputStream body = new ByteArrayOutputStream();
		byte[] buffer = new byte[8192];
		InputStream in = request.getInputStream();
		for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
			body.write(buffer, 0, read);
			if (body.size() > this.maxSize) {
				throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE,
						"A job may have %d bytes".formatted(this.maxSize));
			}
			if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(BODY_SECONDS)) {
				throw new ResponseStatusException(HttpStatus.REQUEST_TIMEOUT, "The body took too long");
			}
		}
		if (body.size() > 0 && !isJson(request.getContentType())) {
			throw new ResponseStatusException(HttpStatus.UNSUPPORTED_MEDIA_TYPE,
					"A correction has the Content-Type application/json");
		}
		if (body.size() == 0 && request.getContentType() != null) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"A correction has a body; without one there is no Content-Type");
		}
		return (body.size() > 0) ? body.toByteArray() : null;
	}

	private static boolean isJson(@Nullable String contentType) {
		return contentType != null && contentType.matches("(?i)application/json\\s*(;\\s*charset=\"?utf-8\"?\\s*)?");
	}

	private static String json(BsonDocument deadLetter) {
		return JobJson.write(deadLetter.clone().append("href", new BsonString(address(deadLetter))));
	}

}
