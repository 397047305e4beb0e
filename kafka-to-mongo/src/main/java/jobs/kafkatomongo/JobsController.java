package jobs.kafkatomongo;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import jakarta.servlet.http.HttpServletResponse;
import jobs.kafkatomongo.StoredJobs.Position;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

	private static final Pattern WAIT = Pattern.compile("(?:^|[,;]\\s*)wait\\s*=\\s*(\\d{1,9})(?=\\s*(?:[,;]|$))");

	private final StoredJobs jobs;

	private final KafkaToMongoProperties properties;

	JobsController(StoredJobs jobs, KafkaToMongoProperties properties) {
		this.jobs = jobs;
		this.properties = properties;
	}

	@GetMapping("/{id}")
	ResponseEntity<String> get(@PathVariable String id, @RequestHeader(defaultValue = "") String prefer)
			throws InterruptedException {
		Matcher wait = WAIT.matcher(prefer);
		Duration limit = wait.find() ? Duration.ofSeconds(Long.parseLong(wait.group(1))) : Duration.ZERO;
		limit = (limit.compareTo(this.properties.maxWait()) < 0) ? limit : this.properties.maxWait();
		BsonDocument job = this.jobs.await(id, limit);
		if (job == null) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND, "No job is stored with this id, or not yet");
		}
		ResponseEntity.BodyBuilder answer = ResponseEntity.ok();
		if (limit.isPositive()) {
			answer.header("Preference-Applied", "wait=" + limit.toSeconds());
		}
		return answer.body(JobJson.write(job) + "\n");
	}

	@GetMapping
	void list(@RequestParam(defaultValue = "20") int limit, @RequestParam @Nullable String after,
			@RequestParam @Nullable String company, HttpServletResponse response) throws IOException {
		if (limit < 1 || limit > MAX_LIMIT) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'limit' must be 1 to " + MAX_LIMIT);
		}
		Position position = position(after);
		try (MongoCursor<RawBsonDocument> page = this.jobs.list(position, company, limit).iterator()) {
			response.setContentType(MediaType.APPLICATION_JSON_VALUE);
			response.setCharacterEncoding(StandardCharsets.UTF_8.name());
			PrintStream out = new PrintStream(response.getOutputStream(), false, StandardCharsets.UTF_8);
			out.print("{\"jobs\":[");
			Position last = null;
			for (int count = 0; page.hasNext(); count++) {
				BsonDocument job = page.next();
				out.print(((count > 0) ? ",\n" : "\n") + JobJson.write(job));
				last = (count + 1 == limit) ? Position.of(job) : null;
			}
			out.print("]");
			if (last != null) {
				out.print(",\"next\":\"" + next(limit, last, company) + "\"");
			}
			out.print("}\n");
			out.flush();
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

	@ExceptionHandler(MongoException.class)
	ResponseEntity<ProblemDetail> unavailable(MongoException failure, HttpServletResponse response) {
		if (!response.isCommitted()) {
			// of a list that broke off
			response.resetBuffer();
		}
		logger.atWarn().addKeyValue("cause", failure.toString()).log("MongoDB did not answer a request");
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
			.header("Retry-After", "1")
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, "MongoDB does not answer"));
	}

}
