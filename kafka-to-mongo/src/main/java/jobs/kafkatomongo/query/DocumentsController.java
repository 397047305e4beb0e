package jobs.kafkatomongo.query;

import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.mongodb.client.MongoCursor;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.document.DocumentJson;
import jobs.kafkatomongo.document.Tombstone;
import jobs.kafkatomongo.http.BoundedAnswers;
import jobs.kafkatomongo.http.ListPage;
import jobs.kafkatomongo.http.QueryParameters;
import jobs.kafkatomongo.http.ResourceController;
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

/** Answers {@code GET} to the path of a resource, as {@code /jobs}, and to its ids. */
@RestController
@RequestMapping(produces = MediaType.APPLICATION_JSON_VALUE)
class DocumentsController implements ResourceController {

	private final Resource resource;

	/** The fields that a list is filtered by. */
	private final List<String> fields;

	private final List<String> parameters;

	private final StoredDocuments documents;

	private final DocumentWait wait;

	private final MissingDocuments missing;

	private final BoundedAnswers answers;

	DocumentsController(Resource resource, StoredDocuments documents, DocumentWait wait, MissingDocuments missing,
			BoundedAnswers documentAnswers) {
		this.resource = resource;
		this.fields = StoredDocuments.fields(resource);
		this.parameters = Stream.concat(Stream.of("limit", "after"), this.fields.stream()).toList();
		this.documents = documents;
		this.wait = wait;
		this.missing = missing;
		this.answers = documentAnswers;
	}

	@Override
	public String path() {
		return this.resource.path();
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
			BsonDocument document = this.documents.find(id);
			if (document == null) {
				throw this.missing.explain(id);
			}
			if (Tombstone.isOne(document)) {
				throw new ResponseStatusException(HttpStatus.GONE, "This %s was erased at %s, and is not stored again"
					.formatted(this.resource.noun(), Tombstone.erasedAt(document)));
			}
			out.println(DocumentJson.write(document, this.resource.idField()));
		});
	}

	@GetMapping
	void list(@RequestParam(defaultValue = "20") int limit, @RequestParam @Nullable String after,
			HttpServletRequest request, HttpServletResponse response) throws IOException, InterruptedException {
		QueryParameters.requireKnown(request, this.parameters);
		ListPage page = ListPage.of(limit, after);
		Map<String, @Nullable String> filters = new LinkedHashMap<>();
		this.fields.forEach((field) -> filters.put(field, request.getParameter(field)));
		this.answers.writePage(request, response, (out) -> {
			try (MongoCursor<RawBsonDocument> found = this.documents.list(page, filters).iterator()) {
				page.write(out, this.resource.name(), found,
						(document) -> DocumentJson.write(document, this.resource.idField()),
						StoredDocuments.ACCEPTED_AT, path(), filters);
			}
		});
	}

}
