package jobs.kafkatomongo.query;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;

import com.mongodb.client.MongoCursor;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.kafkatomongo.document.JobJson;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.http.BoundedAnswers;
import jobs.kafkatomongo.http.ListPage;
import jobs.kafkatomongo.http.QueryParameters;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Answers {@code GET /jobs} and {@code GET /jobs/{id}}. */
@RestController
@RequestMapping(path = "/jobs", produces = MediaType.APPLICATION_JSON_VALUE)
class JobsController {

	private static final List<String> PARAMETERS = List.of("limit", "after", "company");

	private final StoredJobs jobs;

	private final JobWait wait;

	private final MissingJobs missing;

	private final BoundedAnswers answers;

	JobsController(StoredJobs jobs, JobWait wait, MissingJobs missing, BoundedAnswers jobAnswers) {
		this.jobs = jobs;
		this.wait = wait;
		this.missing = missing;
		this.answers = jobAnswers;
	}

	@GetMapping("/{id}")
	void get(@PathVariable String id, @RequestHeader(defaultValue = "") String prefer, HttpServletRequest request,
			HttpServletResponse response) throws IOException, InterruptedException {
		getById(id, prefer, request, response);
	}

	/** For an id that no path can have, such as one with a NUL, or {@code ..}. */
	@GetMapping(params = "id")
	void getByQuery(@RequestParam String id, @RequestHeader(defaultValue = "") String prefer,
			HttpServletRequest request, HttpServletResponse response) throws IOException, InterruptedException {
		QueryParameters.requireKnown(request, List.of("id"));
		getById(id, prefer, request, response);
	}

	private void getById(String id, String prefer, HttpServletRequest request, HttpServletResponse response)
			throws IOException, InterruptedException {
		Duration limit = this.wait.granted(prefer);
		if (limit.isPositive() && this.wait.await(id, limit, request)) {
			response.setHeader("Preference-Applied", "wait=" + limit.toSeconds());
		}
		this.answers.writeOne(request, response, (out) -> {
			BsonDocument job = this.jobs.find(id);
			if (job == null) {
				throw this.missing.explain(id);
			}
			if (Tombstone.isOne(job)) {
				throw new ResponseStatusException(HttpStatus.GONE,
						"This job was erased at %s, and is not stored again".formatted(Tombstone.erasedAt(job)));
			}
			out.println(JobJson.write(job));
		});
	}

	@GetMapping
	void list(@RequestParam(defaultValue = "20") int limit, @RequestParam @Nullable String after,
			@RequestParam @Nullable String company, HttpServletRequest request, HttpServletResponse response)
			throws IOException, InterruptedException {
		QueryParameters.requireKnown(request, PARAMETERS);
		ListPage page = ListPage.of(limit, after);
		this.answers.writePage(request, response, (out) -> {
			try (MongoCursor<RawBsonDocument> found = this.jobs.list(page, company).iterator()) {
				page.write(out, "jobs", found, JobJson::write, StoredJobs.ACCEPTED_AT, "/jobs",
						Collections.singletonMap("company", company));
			}
		});
	}

}
