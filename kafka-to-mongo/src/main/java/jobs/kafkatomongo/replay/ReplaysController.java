package jobs.kafkatomongo.replay;

import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.mongodb.MongoException;
import com.mongodb.client.model.Filters;
import jakarta.servlet.http.HttpServletRequest;
import jobs.contract.NotAJobException;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.deadletter.KeptRecord;
import jobs.kafkatomongo.document.JobParser;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.http.OperatorAction;
import jobs.kafkatomongo.http.OperatorAction.What;
import jobs.kafkatomongo.http.QueryParameters;
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
@RequestMapping(path = "/dead-letters", produces = MediaType.APPLICATION_JSON_VALUE)
class ReplaysController {

	/** Corrections being read, of up to a megabyte each. */
	private static final int CORRECTIONS = 16;

	/** Requests that replay, of up to some megabytes each. */
	private static final int REPLAY_REQUESTS = 2;

	/** Dead letters after which a request for many is answered. */
	private static final int REPLAYS_OF_A_REQUEST = 1000;

	/** Characters of a path in Location, since a head has 2 KB. */
	private static final int LOCATION_CHARACTERS = 1024;

	private static final String TOO_MANY = "Too many replays at once";

	private final DeadLetterCollection deadLetters;

	private final Replays replays;

	private final JobParser parser;

	private final KafkaToMongoProperties properties;

	private final Bulkhead corrections = new Bulkhead(CORRECTIONS, TOO_MANY);

	private final Bulkhead working = new Bulkhead(REPLAY_REQUESTS, TOO_MANY);

	ReplaysController(DeadLetterCollection deadLetters, Replays replays, JobParser parser,
			KafkaToMongoProperties properties) {
		this.deadLetters = deadLetters;
		this.replays = replays;
		this.parser = parser;
		this.properties = properties;
	}

	@PostMapping("/{id}/replay")
	ResponseEntity<Replayed> replay(@PathVariable String id, HttpServletRequest request)
			throws IOException, InterruptedException {
		String note = QueryParameters.requireNoneBut(request, OperatorAction.NOTE);
		try (Bulkhead.Taken _ = this.corrections.take(request)) {
			byte @Nullable [] correction = Correction.read(request,
					Math.toIntExact(this.properties.maxJobSize().toBytes()));
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
					"Its key is not kept here (it was too large, or the document was edited), and without it would be another job: send it again yourself");
		}
		if (correction != null) {
			requireJob(kept, correction);
		}
		else if (!kept.isWhole()) {
			throw new ResponseStatusException(HttpStatus.CONFLICT,
					"It is not kept here as it was (it was too large, or the document was edited): replay it with a corrected body");
		}
		act.log(kept.id());
		String position;
		try {
			position = this.replays.replay(kept, correction, act);
		}
		catch (RecordTooLargeException ex) {
			throw new ResponseStatusException(HttpStatus.CONTENT_TOO_LARGE, "The topic does not take so large a job",
					ex);
		}
		String job = kept.job();
		ResponseEntity.BodyBuilder answer = ResponseEntity.accepted().contentType(MediaType.APPLICATION_JSON);
		String location = UriComponentsBuilder.fromPath("/jobs/{id}").encode().buildAndExpand(job).toString();
		if (location.length() <= LOCATION_CHARACTERS) {
			answer.header("Location", location);
		}
		return answer.body(new Replayed(job, position));
	}

	private void requireJob(KeptRecord kept, byte[] correction) {
		try {
			this.parser.parse(kept.corrected(this.properties.topic(), correction));
		}
		catch (NotAJobException ex) {
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
	@PostMapping("/replay")
	Counts replayAll(DeadLetterSelection selection, HttpServletRequest request) throws InterruptedException {
		OperatorAction act = OperatorAction.of(What.REPLAYED, request);
		boolean dry = DeadLetterSelection.isDry(request);
		Instant to = selection.end(Instant.now().truncatedTo(ChronoUnit.MILLIS));
		Bson filter = KeptRecord
			.wholeOnes(Filters.and(selection.ofOpen(request), Filters.lte(DeadLetterCollection.FIRST_SEEN, to)));
		try (Bulkhead.Taken _ = this.working.take()) {
			if (dry) {
				return new Counts(this.deadLetters.count(filter), null, null, null, to);
			}
			act.log(selection.toString());
			Replays.Count count = this.replays.replayAll(filter, REPLAYS_OF_A_REQUEST, act);
			return new Counts(null, count.replayed(), count.skipped(), count.all() ? 0L : left(filter, count), to);
		}
	}

	/** How many dead letters are left, or 1 where counting them takes too long. */
	private long left(Bson filter, Replays.Count count) {
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

	/** The answer to many replays; a dry run has {@code matched} and the time. */
	@JsonInclude(JsonInclude.Include.NON_NULL)
	record Counts(@Nullable Long matched, @Nullable Integer replayed, @Nullable Integer skipped, @Nullable Long left,
			Instant to) {

	}

}
