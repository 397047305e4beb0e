package jobs.kafkatomongo.replay;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.Filters;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.deadletter.DeadLetter.State;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.deadletter.KeptRecord;
import jobs.kafkatomongo.document.DocumentJson;
import jobs.kafkatomongo.http.BoundedAnswers;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.http.ListPage;
import jobs.kafkatomongo.http.OperatorAction;
import jobs.kafkatomongo.http.OperatorAction.What;
import jobs.kafkatomongo.http.QueryParameters;
import jobs.kafkatomongo.http.ResourceController;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** {@code GET} and {@code DELETE /dead-letters}: shows and discards dead letters. */
@RestController
@RequestMapping(produces = MediaType.APPLICATION_JSON_VALUE)
class DeadLettersController implements ResourceController {

	private final Resource resource;

	private final String[] labels;

	private final DeadLetterCollection deadLetters;

	private final BoundedAnswers answers;

	private final Bulkhead discarding;

	DeadLettersController(Resource resource, Resources resources, DeadLetterCollection deadLetters,
			BoundedAnswers deadLetterAnswers, Bulkhead discarding) {
		this.resource = resource;
		this.labels = resources.labels(resource);
		this.discarding = discarding;
		this.deadLetters = deadLetters;
		this.answers = deadLetterAnswers;
	}

	@Override
	public String path() {
		return this.resource.deadLettersPath();
	}

	@GetMapping
	void list(DeadLetterSelection selection, @RequestParam(defaultValue = "20") int limit,
			@RequestParam @Nullable String after, HttpServletRequest request, HttpServletResponse response)
			throws IOException, InterruptedException {
		selection.requireKnown(request, "limit", "after");
		ListPage page = ListPage.of(limit, after);
		Bson filter = Filters.and(selection.filter(), page.filter(DeadLetterCollection.FIRST_SEEN));
		this.answers.writePage(request, response, (out) -> {
			try (MongoCursor<BsonDocument> found = this.deadLetters.list(filter, limit).iterator()) {
				page.write(out, "deadLetters", found, this::json, DeadLetterCollection.FIRST_SEEN, path(),
						selection.parameters());
			}
		});
	}

	@GetMapping("/{id}")
	void get(@PathVariable String id, HttpServletRequest request, HttpServletResponse response)
			throws IOException, InterruptedException {
		this.answers.writeOne(request, response, (out) -> out.println(json(require(this.deadLetters.find(id)))));
	}

	@DeleteMapping("/{id}")
	ResponseEntity<Void> discard(@PathVariable String id, HttpServletRequest request) throws InterruptedException {
		OperatorAction act = OperatorAction.of(What.DISCARDED, request,
				QueryParameters.requireNoneBut(request, OperatorAction.NOTE));
		try (Bulkhead.Taken _ = this.discarding.take()) {
			requireNotErased(require(this.deadLetters.findWithoutContent(id)));
			act.log(id, this.labels);
			this.deadLetters.discard(Filters.eq("_id", id), act.entry());
		}
		return ResponseEntity.noContent().build();
	}

	@DeleteMapping
	Map<String, Object> discardAll(DeadLetterSelection selection, HttpServletRequest request)
			throws InterruptedException {
		OperatorAction act = OperatorAction.of(What.DISCARDED, request);
		boolean dry = DeadLetterSelection.isDry(request);
		Instant to = selection.end(Instant.now().truncatedTo(ChronoUnit.MILLIS));
		Bson filter = Filters.and(selection.ofOpen(request), Filters.lte(DeadLetterCollection.FIRST_SEEN, to));
		try (Bulkhead.Taken _ = this.discarding.take()) {
			if (dry) {
				return Map.of("matched", this.deadLetters.count(filter), "to", to);
			}
			act.log(selection.toString(), this.labels);
			return Map.of("discarded", this.deadLetters.discard(filter, act.entry()).getModifiedCount());
		}
	}

	/** Throws ResponseStatusException (404) where there is no such dead letter. */
	static BsonDocument require(@Nullable BsonDocument deadLetter) {
		if (deadLetter == null) {
			throw new ResponseStatusException(HttpStatus.NOT_FOUND,
					"There is no such dead letter; a # in its id is %23 in an address");
		}
		return deadLetter;
	}

	/** Throws ResponseStatusException (410) where nothing is left to act on. */
	static void requireNotErased(BsonDocument deadLetter) {
		if (new BsonString(State.ERASED.text()).equals(deadLetter.get("state"))) {
			throw new ResponseStatusException(HttpStatus.GONE, "What this dead letter had was erased");
		}
	}

	private String json(BsonDocument deadLetter) {
		return DocumentJson.write(
				deadLetter.clone().append("href", new BsonString(new KeptRecord(deadLetter).path(this.resource))),
				"id");
	}

}
