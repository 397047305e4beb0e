package jobs.kafkatomongo;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import jakarta.servlet.http.HttpServletResponse;
import jobs.kafkatomongo.StoredJobs.Position;
import org.apache.tomcat.util.http.InvalidParameterException;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * {@code GET /jobs} and {@code GET /jobs/{id}}: what is stored.
 */
@RestController
@RequestMapping(path = "/jobs", produces = MediaType.APPLICATION_JSON_VALUE)
class JobsController {

	private static final Logger logger = LoggerFactory.getLogger(JobsController.class);

	private static final int MAX_LIMIT = 100;

	/** Characters from which on a page ends, though it has fewer jobs than asked for. */
	private static final int MAX_PAGE = 256 * 1024;

	private static final int MAX_WAIT_SECONDS = 2;

	private static final Pattern WAIT = Pattern.compile("(?:^|[,;]\\s*)wait\\s*=\\s*(\\d{1,9})(?=\\s*(?:[,;]|$))");

	private final StoredJobs jobs;

	private final KafkaToMongoProperties properties;

	private final Semaphore answers = new Semaphore(32);

	private final Semaphore making = new Semaphore(2);

	JobsController(StoredJobs jobs, KafkaToMongoProperties properties) {
		this.jobs = jobs;
		this.properties = properties;
	}

	@GetMapping("/{id}")
	void get(@PathVariable String id, @RequestHeader(defaultValue = "") String prefer, HttpServletResponse response)
			throws IOException, InterruptedException {
		Matcher wait = WAIT.matcher(prefer);
		Duration limit = wait.find() ? Duration.ofSeconds(Long.parseLong(wait.group(1))) : Duration.ZERO;
		limit = (limit.compareTo(this.properties.maxWait()) < 0) ? limit : this.properties.maxWait();
		if (limit.isPositive() && this.jobs.await(id, limit)) {
			response.setHeader("Preference-Applied", "wait=" + limit.toSeconds());
		}
		answer(response, (out) -> {
			BsonDocument job = this.jobs.find(id);
			if (job == null) {
				throw new ResponseStatusException(HttpStatus.NOT_FOUND, "No job is stored with this id, or not yet");
			}
			out.println(JobJson.write(job));
		});
	}

	@GetMapping
	void list(@RequestParam(defaultValue = "20") int limit, @RequestParam @Nullable String after,
			@RequestParam @Nullable String company, HttpServletResponse response)
			throws IOException, InterruptedException {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'limit' must be 1 to " + MAX_LIMIT);
		}
		Position position = position(after);
		answer(response, (out) -> {
			try (MongoCursor<RawBsonDocument> page = this.jobs.list(position, company, limit).iterator()) {
				out.print("{\"jobs\":[");
				Position last = null;
				int size = 0;
				for (int count = 1; size < MAX_PAGE && page.hasNext(); count++) {
					BsonDocument job = page.next();
					String json = JobJson.write(job);
					out.print(((count > 1) ? ",\n" : "\n") + json);
					size += json.length();
					last = (count == limit || size >= MAX_PAGE) ? Position.of(job) : null;
				}
				out.print("]");
				if (last != null) {
					out.print(",\"next\":\"" + next(limit, last, company) + "\"");
				}
				out.println("}");
			}
		});
	}

	/**
	 * Makes an answer, and then writes it: what is read from MongoDB takes many times as
	 * much memory, and a client may be slow to read.
	 */
	private void answer(HttpServletResponse response, Consumer<PrintStream> content)
			throws IOException, InterruptedException {
		acquire(this.answers);
		try {
			byte[] body = make(content);
			response.setContentType(MediaType.APPLICATION_JSON_VALUE);
			response.setContentLength(body.length);
			response.getOutputStream().write(body);
		}
		finally {
			this.answers.release();
		}
	}

	private byte[] make(Consumer<PrintStream> content) throws InterruptedException {
		acquire(this.making);
		try {
			ByteArrayOutputStream body = new ByteArrayOutputStream();
			try (PrintStream out = new PrintStream(body, false, StandardCharsets.UTF_8)) {
				content.accept(out);
			}
			return body.toByteArray();
		}
		finally {
			this.making.release();
		}
	}

	private static void acquire(Semaphore bound) throws InterruptedException {
		if (!bound.tryAcquire(MAX_WAIT_SECONDS, TimeUnit.SECONDS)) {
			throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "Too many answers at once") {

				@Override
				public HttpHeaders getHeaders() {
					HttpHeaders headers = new HttpHeaders();
					headers.set("Retry-After", "1");
					return headers;
				}

			};
		}
	}

	private static @Nullable Position position(@Nullable String after) {
		try {
			return (after != null) ? Position.parse(after) : null;
		}
		catch (IllegalArgumentException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'after' must be taken from 'next'", ex);
		}
	}

	private static String next(int limit, Position last, @Nullable String company) {
		UriComponentsBuilder next = UriComponentsBuilder.fromPath("/jobs")
			.queryParam("limit", limit)
			.queryParam("after", "{after}");
		return (company != null)
				? next.queryParam("company", "{company}").encode().buildAndExpand(last, company).toString()
				: next.encode().buildAndExpand(last).toString();
	}

	@ExceptionHandler(InvalidParameterException.class)
	ProblemDetail unreadable() {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, "The query is not percent-encoded UTF-8");
	}

	@ExceptionHandler(MongoException.class)
	ResponseEntity<ProblemDetail> unavailable(MongoException failure) {
		logger.atWarn().addKeyValue("cause", failure.toString()).log("MongoDB did not answer a request");
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
			.header("Retry-After", "1")
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "MongoDB does not answer"));
	}

}
