package jobs.kafkatomongo;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.mongodb.client.MongoCursor;
import jakarta.servlet.http.HttpServletResponse;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * {@code GET /jobs} and {@code GET /jobs/{id}}: what is stored, and where a job is that
 * is not.
 */
@RestController
@RequestMapping(path = "/jobs", produces = MediaType.APPLICATION_JSON_VALUE)
class JobsController {

	private static final Pattern WAIT = Pattern.compile("(?:^|[,;]\\s*)wait\\s*=\\s*(\\d{1,9})(?=\\s*(?:[,;]|$))");

	/** The time between sending a job and asking for it. */
	private static final Duration RECENTLY = Duration.ofSeconds(10);

	private final StoredJobs jobs;

	private final DeadLetterStore deadLetters;

	private final Backlog backlog;

	private final JsonAnswers answers;

	private final KafkaToMongoProperties properties;

	JobsController(StoredJobs jobs, DeadLetterStore deadLetters, Backlog backlog, JsonAnswers answers,
			KafkaToMongoProperties properties) {
		this.jobs = jobs;
		this.deadLetters = deadLetters;
		this.backlog = backlog;
		this.answers = answers;
		this.properties = properties;
	}

	@GetMapping("/{id}")
	void get(@PathVariable String id, @RequestHeader(defaultValue = "") String prefer, HttpServletResponse response)
			throws IOException, InterruptedException {
		Matcher wait = WAIT.matcher(prefer);
		Duration limit = wait.find() ? Duration.ofSeconds(Long.parseLong(wait.group(1))) : Duration.ZERO;
		limit = (limit.compareTo(this.properties.maxWait()) < 0) ? limit : this.properties.maxWait();
		Instant start = Instant.now();
		if (limit.isPositive() && this.jobs.await(id, limit, () -> hasEnded(id, start))) {
			response.setHeader("Preference-Applied", "wait=" + limit.toSeconds());
		}
		this.answers.writeOne(response, (out) -> {
			BsonDocument job = this.jobs.find(id);
			if (job == null) {
				throw missing(id);
			}
			out.println(JobJson.write(job));
		});
	}

	/**
	 * Whether a job is a dead letter for good: a recent one, or any, once nothing waits
	 * that may be another job with its id.
	 */
	private boolean hasEnded(String id, Instant start) {
		Backlog.Snapshot backlog = this.backlog.snapshot();
		boolean nothingWaits = backlog.at().isAfter(start) && backlog.waiting() == 0;
		return this.deadLetters.hasEnded(id, nothingWaits ? Instant.EPOCH : start.minus(RECENTLY));
	}

	/**
	 * Why a job is not stored: it is a dead letter, or it waits.
	 */
	private ErrorResponseException missing(String id) {
		BsonDocument deadLetter = this.deadLetters.newestOf(id);
		ProblemDetail problem;
		if (deadLetter == null) {
			problem = ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND,
					"No job is stored with this id, or not yet");
		}
		else {
			boolean replayed = deadLetter.getString("state").getValue().equals(DeadLetterStore.State.REPLAYED.text());
			problem = replayed
					? ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND,
							"This job was a dead letter, was replayed, and is not stored yet")
					: ProblemDetail.forStatusAndDetail(HttpStatus.GONE,
							"This job is not stored, but a dead letter: " + deadLetter.getString("detail").getValue());
			problem.setProperty("deadLetter", DeadLettersController.address(deadLetter));
			problem.setProperty("reason", deadLetter.getString("reason").getValue());
			problem.setProperty("state", deadLetter.getString("state").getValue());
		}
		Backlog.Snapshot backlog = this.backlog.snapshot();
		boolean mayWait = problem.getStatus() == HttpStatus.NOT_FOUND.value() && backlog.isRecent();
		if (mayWait) {
			problem.setProperty("waiting", backlog.waiting());
		}
		if (mayWait && backlog.oldest() != null) {
			problem.setProperty("waitingSince", backlog.oldest().toString());
		}
		return new ErrorResponseException(HttpStatus.valueOf(problem.getStatus()), problem, null);
	}

	@GetMapping
	void list(@RequestParam(defaultValue = "20") int limit, @RequestParam @Nullable String after,
			@RequestParam @Nullable String company, HttpServletResponse response)
			throws IOException, InterruptedException {
		JsonAnswers.requireLimit(limit);
		Position position = JsonAnswers.position(after);
		this.answers.writePage(response, (out) -> {
			try (MongoCursor<RawBsonDocument> page = this.jobs.list(position, company, limit).iterator()) {
				JsonAnswers.page(out, "jobs", page, limit, JobJson::write,
						(last) -> next(limit, Position.of(last, StoredJobs.ACCEPTED_AT), company));
			}
		});
	}

	private static String next(int limit, Position last, @Nullable String company) {
		UriComponentsBuilder next = UriComponentsBuilder.fromPath("/jobs")
			.queryParam("limit", limit)
			.queryParam("after", "{after}");
		return (company != null)
				? next.queryParam("company", "{company}").encode().buildAndExpand(last, company).toString()
				: next.encode().buildAndExpand(last).toString();
	}

}
