package jobs.kafkatomongo.erasure;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import jakarta.servlet.http.HttpServletRequest;
import jobs.chassis.kafka.TopicChecks;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.http.Bulkhead;
import jobs.kafkatomongo.http.OperatorAction;
import jobs.kafkatomongo.http.OperatorAction.What;
import jobs.kafkatomongo.http.QueryParameters;
import jobs.kafkatomongo.http.ResourceController;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** {@code DELETE /jobs/{id}}: erases a document, and tells what Kafka still has. */
@RestController
@RequestMapping(produces = MediaType.APPLICATION_JSON_VALUE)
class ErasuresController implements ResourceController {

	private final Erasures erasures;

	private final TopicChecks topics;

	private final Resource resource;

	private final String[] labels;

	private final Bulkhead working;

	ErasuresController(Erasures erasures, TopicChecks topics, Resource resource, Resources resources,
			Bulkhead erasing) {
		this.erasures = erasures;
		this.topics = topics;
		this.resource = resource;
		this.labels = resources.labels(resource);
		this.working = erasing;
	}

	@Override
	public String path() {
		return this.resource.path();
	}

	@DeleteMapping("/{id}")
	Answer erase(@PathVariable String id, HttpServletRequest request) throws InterruptedException {
		return erase(id, QueryParameters.requireNoneBut(request, OperatorAction.NOTE), request);
	}

	/** For an id that no path can have, such as one with a NUL. */
	@DeleteMapping(params = "id")
	Answer eraseById(@RequestParam String id, @RequestParam @Nullable String note, HttpServletRequest request)
			throws InterruptedException {
		QueryParameters.requireKnown(request, List.of("id", OperatorAction.NOTE));
		if (id.isEmpty()) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"'id' must be the id of a " + this.resource.noun());
		}
		return erase(id, note, request);
	}

	private Answer erase(String id, @Nullable String note, HttpServletRequest request) throws InterruptedException {
		if (request.getHeader("If-Match") != null) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"This erases, whatever the version, and takes no If-Match; rest-to-kafka deletes a version");
		}
		OperatorAction act = OperatorAction.of(What.ERASED, request, note);
		try (Bulkhead.Taken _ = this.working.take()) {
			act.log(id, this.labels);
			Erasures.Erased erased = this.erasures.erase(id, act.entry());
			return new Answer(id, erased.wasStored(), erased.deadLetters(), erased.hasMore(),
					List.of(remains(this.resource.topic()), remains(this.resource.deadLetterTopic())));
		}
		catch (MongoException ex) {
			if (ex instanceof MongoCommandException refusal && !MongoErrorCodes.isOutage(ex)) {
				throw refused("the " + this.resource.noun(), refusal.getErrorMessage(), ex);
			}
			if (ex instanceof MongoBulkWriteException refusal && !refusal.getWriteErrors().isEmpty()
					&& !MongoErrorCodes.isOutage(ex)) {
				throw refused("its dead letters", refusal.getWriteErrors().getFirst().getMessage(), ex);
			}
			throw ex;
		}
	}

	private static ResponseStatusException refused(String what, String why, MongoException cause) {
		return new ResponseStatusException(HttpStatus.CONFLICT,
				"MongoDB does not take the mark that has to stay of %s: %s".formatted(what, why), cause);
	}

	/**
	 * Until when a topic may have a record that it has now. Kafka deletes whole segments,
	 * each once its last record is old enough.
	 */
	private Remains remains(String topic) {
		String retention = this.topics.setting(topic, "retention.ms");
		String segment = this.topics.setting(topic, "segment.ms");
		if (retention == null || segment == null) {
			return new Remains(topic, "unknown");
		}
		String policy = this.topics.setting(topic, "cleanup.policy");
		if (Long.parseLong(retention) < 0 || (policy != null && !policy.contains("delete"))) {
			return new Remains(topic, "for ever");
		}
		try {
			return new Remains(topic,
					Instant.now()
						.plus(Duration.ofMillis(Math.addExact(Long.parseLong(retention), Long.parseLong(segment))))
						.truncatedTo(ChronoUnit.SECONDS)
						.toString());
		}
		catch (ArithmeticException ex) {
			return new Remains(topic, "for ever");
		}
	}

	/**
	 * The answer.
	 *
	 * @param id of the document
	 * @param erased whether a document was stored
	 * @param deadLetters how many dead letters were erased
	 * @param hasMore whether more of them are left, so that the request must be repeated
	 * @param kafka where records may still lie
	 */
	record Answer(String id, boolean erased, int deadLetters, boolean hasMore, List<Remains> kafka) {

	}

	/**
	 * A topic that may have records of the document.
	 *
	 * @param topic its name
	 * @param until a time (ISO 8601), {@code for ever}, or {@code unknown}
	 */
	record Remains(String topic, String until) {

	}

}
