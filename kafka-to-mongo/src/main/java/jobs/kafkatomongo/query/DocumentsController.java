package jobs.kafkatomongo.query;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import com.mongodb.client.MongoCursor;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Versions;
import jobs.kafkatomongo.document.DocumentJson;
import jobs.kafkatomongo.document.StoredMeta;
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
	void get(@PathVariable String id, @RequestParam @Nullable String version,
			@RequestHeader(defaultValue = "") String prefer, HttpServletRequest request, HttpServletResponse response)
			throws IOException, InterruptedException {
		getById(id, version, prefer, request, response);
	}

	/** For an id that no path can have, such as one with a NUL, or {@code ..}. */
	@GetMapping(params = "id")
	void getByQuery(@RequestParam String id, @RequestParam @Nullable String version,
			@RequestHeader(defaultValue = "") String prefer, HttpServletRequest request, HttpServletResponse response)
			throws IOException, InterruptedException {
		QueryParameters.requireKnown(request, List.of("id", "version"));
		getById(id, version, prefer, request, response);
	}

	private void getById(String id, @Nullable String versionText, String prefer, HttpServletRequest request,
			HttpServletResponse response) throws IOException, InterruptedException {
		Long version = (versionText != null) ? version(versionText) : null;
		Duration limit = this.wait.granted(prefer);
		if (limit.isPositive() && this.wait.await(id, version, limit, request)) {
			response.setHeader("Preference-Applied", "wait=" + limit.toSeconds());
		}
		this.answers.writeOne(request, response, (out) -> {
			BsonDocument document = this.documents.find(id);
			if (document == null) {
				throw this.missing.explain(id, version);
			}
			if (!Tombstone.isOfErased(document) && version != null) {
				requireVersion(id, document, version, response);
			}
			if (Tombstone.isOne(document)) {
				throw new ResponseStatusException(HttpStatus.GONE,
						"This %s %s".formatted(this.resource.noun(), Tombstone.words(document)));
			}
			if (!answersUnchanged(document, request, response)) {
				out.println(DocumentJson.write(document, this.resource.idField()));
			}
		});
	}

	private long version(String text) {
		if (!this.resource.hasVersions()) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"%s of %s have no versions".formatted(this.resource.nouns(), this.resource.path()));
		}
		try {
			return Versions.parse(text);
		}
		catch (IllegalArgumentException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'version' is malformed. " + ex.getMessage(), ex);
		}
	}

	/** Tells which version stands where it is another one than asked for. */
	private void requireVersion(String id, BsonDocument document, long asked, HttpServletResponse response) {
		Long stands = StoredMeta.version(document);
		if (stands == null || stands < asked) {
			throw this.missing.explain(id, asked);
		}
		if (stands > asked) {
			response.setHeader("Superseded-By", Long.toString(stands));
		}
	}

	/**
	 * Sets what tells one state of a document from another, and whether the client has
	 * this one (RFC 9110).
	 */
	private boolean answersUnchanged(BsonDocument document, HttpServletRequest request, HttpServletResponse response) {
		Long version = this.resource.hasVersions() ? StoredMeta.version(document) : null;
		if (version == null) {
			return false;
		}
		Instant storedAt = StoredMeta.time(document, "storedAt");
		if (storedAt != null) {
			response.setDateHeader("Last-Modified", storedAt.toEpochMilli());
		}
		// else a cache may answer for a while, by the age of the document
		response.setHeader("Cache-Control", "no-cache");
		String tag = "\"" + version + "\"";
		response.setHeader("ETag", tag);
		boolean isUnchanged = Collections.list(request.getHeaders("If-None-Match"))
			.stream()
			.flatMap((list) -> Stream.of(list.split(",")))
			.map((one) -> one.strip().replaceFirst("^W/", ""))
			.anyMatch((one) -> one.equals(tag) || one.equals("*"));
		if (isUnchanged) {
			response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
		}
		return isUnchanged;
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
