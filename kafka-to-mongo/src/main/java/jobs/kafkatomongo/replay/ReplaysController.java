package jobs.kafkatomongo.replay;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.mongodb.MongoException;
import com.mongodb.client.model.Filters;
import jakarta.servlet.http.HttpServletRequest;
import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.deadletter.KeptRecord;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.document.RecordParser;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.http.OperatorAction;
import jobs.kafkatomongo.http.OperatorAction.What;
import jobs.kafkatomongo.http.QueryParameters;
import jobs.kafkatomongo.http.ResourceController;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.UriComponentsBuilder;

/** {@code POST /dead-letters/...}: replays dead letters, unchanged or corrected. */
@RestController
@RequestMapping(produces = MediaType.APPLICATION_JSON_VALUE)
class ReplaysController implements ResourceController {

	/** Dead letters after which a request for many is answered. */
	private static final int REPLAYS_OF_A_REQUEST = 1000;

	/** Characters of a path in Location, since a head has 2 KB. */
	private static final int LOCATION_CHARACTERS = 1024;

	private final DeadLetterCollection deadLetters;

	private final Replays replays;

	private final RecordParser parser;

	private final Resource resource;

	private final String[] labels;

	private final Bulkhead corrections;

	private final Bulkhead working;

	ReplaysController(DeadLetterCollection deadLetters, Replays replays, RecordParser parser, Resource resource,
			Resources resources, Bulkhead corrections, Bulkhead replaying) {
		this.deadLetters = deadLetters;
		this.replays = replays;
		this.parser = parser;
		this.resource = resource;
		this.labels = resources.labels(resource);
		this.corrections = corrections;
		this.working = replaying;
	}

	@Override
	public String path() {
		return this.resource.deadLettersPath();
	}

	@PostMapping("/{id}/replay")
	ResponseEntity<Replayed> replay(@PathVariable String id, HttpServletRequest request)
			throws IOException, InterruptedException {
		String note = QueryParameters.requireNoneBut(request, OperatorAction.NOTE);
		try (Bulkhead.Taken _ = this.corrections.take(request)) {
			byte @Nullable [] correction = Correction.read(request, this.resource);
			OperatorAction act = OperatorAction.of((correction != null) ? What.CORRECTED : What.REPLAYED, request,
					note);
			try (Bulkhead.Taken _ = this.working.take()) {
				BsonDocument deadLetter = DeadLettersController.require(this.deadLetters.find(id));
				DeadLettersController.requireNotErased(deadLetter);
				return replay(new KeptRecord(deadLetter), correction, act);
			}
		}
	}

	private ResponseEntity<Replayed> replay(KeptRecord kept, byte @Nullable [] correction, OperatorAction act) {
		if (!kept.hasIdentity()) {
			throw new ResponseStatusException(HttpStatus.CONFLICT,
					"Its key is not kept here (it was too large, or the document was edited), and without it would be another %s: send it again yourself"
						.formatted(this.resource.noun()));
		}
		String id = kept.documentId();
		if (correction != null) {
			id = requireDocument(kept, correction).id().asString().getValue();
		}
		else if (!kept.isWhole()) {
			throw new ResponseStatusException(HttpStatus.CONFLICT,
					"It is not kept here as it was (it was too large, or the document was edited): replay it with a corrected body");
		}
		act.log(kept.id(), this.labels);
		String position;
		try {
			position = this.replays.replay(kept, correction, act);
		}
		catch (RecordTooLargeException ex) {
			throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE,
					"The topic does not take so large a " + this.resource.noun(), ex);
		}
		ResponseEntity.BodyBuilder answer = ResponseEntity.accepted().contentType(MediaType.APPLICATION_JSON);
		String location = UriComponentsBuilder
			.fromUriString(this.resource.path() + (Resource.hasPath(id) ? "/{id}" : "?id={id}"))
			.encode()
			.buildAndExpand(id)
			.toString();
		if (location.length() <= LOCATION_CHARACTERS) {
			answer.header("Location", location);
		}
		return answer.body(new Replayed(id, position));
	}

	private ParsedRecord requireDocument(KeptRecord kept, byte[] correction) {
		try {
			return this.parser.parse(kept.toCheck(this.resource, correction));
		}
		catch (RefusedDocumentException ex) {
			ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, ex.detail());
			problem.setProperty("reason", Reason.of(ex.fault()).toString());
			problem.setProperty("errors", ex.violations());
			throw new ErrorResponseException(HttpStatus.BAD_REQUEST, problem, ex);
		}
	}

	/**
	 * Replays the open dead letters of a selection up to a time that is fixed first. A
	 * dead letter that comes back, while this runs or before the request is repeated, is
	 * not selected again.
	 */
	@PostMapping({ "/replay", "/replays" })
	Counts replayAll(DeadLetterSelection selection, HttpServletRequest request) throws InterruptedException {
		OperatorAction act = OperatorAction.of(What.REPLAYED, request);
		boolean dry = DeadLetterSelection.isDry(request);
		boolean passes = DeadLetterSelection.isTrue(request, DeadLetterSelection.PASSES);
		Instant to = selection.end(Instant.now().truncatedTo(ChronoUnit.MILLIS));
		Bson filter = KeptRecord.wholeOnes(Filters.and(selection.ofOpen(request, DeadLetterSelection.PASSES),
				Filters.lte(DeadLetterCollection.FIRST_SEEN, to)));
		try (Bulkhead.Taken _ = this.working.take()) {
			if (dry && !passes) {
				return new Counts(this.deadLetters.count(filter), null, null, null, null, to);
			}
			if (dry) {
				Replays.Count count = this.replays.countPassing(filter, this::passes);
				return new Counts((long) count.replayed(), null, count.skipped(), left(filter, count), next(count), to);
			}
			act.log(selection + (passes ? " that pass" : ""), this.labels);
			Replays.Count count = passes ? this.replays.replayPassing(filter, REPLAYS_OF_A_REQUEST, this::passes, act)
					: this.replays.replayAll(filter, REPLAYS_OF_A_REQUEST, act);
			return new Counts(null, count.replayed(), count.skipped(), left(filter, count), passes ? next(count) : null,
					to);
		}
	}

	/** Whether a dead letter would be stored now, as far as its contract says. */
	private boolean passes(KeptRecord kept) {
		if (!kept.isWhole()) {
			return false;
		}
		try {
			this.parser.parse(kept.toCheck(this.resource, null));
			return true;
		}
		catch (RefusedDocumentException ex) {
			return false;
		}
	}

	/** From where on a repeated request goes on. */
	private static @Nullable Instant next(Replays.Count count) {
		return (count.last() != null)
				? Instant.ofEpochMilli(count.last().getDateTime(DeadLetterCollection.FIRST_SEEN).getValue()) : null;
	}

	/** How many dead letters are left, or 1 where counting them takes too long. */
	private long left(Bson filter, Replays.Count count) {
		if (count.last() == null) {
			return 0;
		}
		try {
			return Math.max(0, this.deadLetters.count(filter) - count.skipped());
		}
		catch (MongoException ex) {
			// the replays have succeeded, even where counting takes too long
			return 1;
		}
	}

	/** The answer to one replay. */
	record Replayed(String id, String position) {

	}

	/**
	 * The answer to many replays; a dry run has {@code matched} and the time. Of those
	 * that pass, {@code from} tells where a repeated request goes on.
	 */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Counts(@Nullable Long matched, @Nullable Integer replayed, @Nullable Integer skipped, @Nullable Long left,
			@Nullable Instant from, Instant to) {

	}

}
