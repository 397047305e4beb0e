package jobs.kafkatomongo.replay;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import com.mongodb.client.model.Filters;
import jakarta.servlet.http.HttpServletRequest;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.State;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.http.OperatorAction;
import jobs.kafkatomongo.http.QueryParameters;
import org.bson.BsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * Selects dead letters; each given parameter must apply. {@code job} is the id that the
 * document would have got. {@code from} and {@code to} are inclusive bounds (ISO 8601) of
 * the time when it was first seen.
 */
record DeadLetterSelection(@Nullable String reason, @Nullable String state, @Nullable String job, @Nullable String from,
		@Nullable String to) {

	private static final List<String> STATES = Stream.of(State.values()).map(State::text).toList();

	private static final List<String> REASONS = Stream
		.concat(Stream.of(DeadLetter.Reason.values()).map(DeadLetter.Reason::toString), Stream.of(DeadLetter.UNKNOWN))
		.toList();

	private static final String DRY_RUN = "dry-run";

	/** Narrows a selection to what would be stored now. */
	static final String PASSES = "passes";

	// nothing was seen beyond these times, and any reader of BSON knows them
	private static final Instant FIRST = Instant.EPOCH;

	private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999Z");

	/**
	 * The filter for the open dead letters of this selection, for a request that acts on
	 * all of them, or on those that other parameters narrow them to. Throws
	 * ResponseStatusException (400) where the request could mean more than its author
	 * thinks.
	 */
	Bson ofOpen(HttpServletRequest request, String... others) {
		if (request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"A body is not read here: what to select stands in the query");
		}
		requireKnown(request,
				Stream.concat(Stream.of(DRY_RUN, OperatorAction.NOTE), Stream.of(others)).toArray(String[]::new));
		boolean isNarrowed = Stream.of(others).anyMatch((name) -> isTrue(request, name));
		if (parameters().values().stream().allMatch(Objects::isNull) && !isNarrowed) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "Say which are meant: state=open is all");
		}
		String open = State.OPEN.text();
		if (this.state != null && !this.state.equals(open)) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'state' can be open only");
		}
		return Filters.and(filter(), Filters.eq("state", open));
	}

	/** Throws 400 for a parameter that neither selects nor is one of the others. */
	void requireKnown(HttpServletRequest request, String... others) {
		QueryParameters.requireKnown(request,
				Stream.concat(parameters().keySet().stream(), Stream.of(others)).toList());
	}

	/** Whether a request only counts; throws 400 where {@code dry-run} is no boolean. */
	static boolean isDry(HttpServletRequest request) {
		return isTrue(request, DRY_RUN);
	}

	/** Whether a parameter is true; throws 400 where it is no boolean. */
	static boolean isTrue(HttpServletRequest request, String name) {
		String[] values = request.getParameterValues(name);
		if (values != null && !Arrays.equals(values, new String[] { "true" })
				&& !Arrays.equals(values, new String[] { "false" })) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'%s' must be true or false".formatted(name));
		}
		return values != null && values[0].equals("true");
	}

	/** The end of the selected time, {@code latest} at most. */
	Instant end(Instant latest) {
		return (this.to != null) ? Collections.min(List.of(time("to", this.to), latest)) : latest;
	}

	/** The parameters that select the same, by their names. */
	Map<String, @Nullable String> parameters() {
		Map<String, @Nullable String> parameters = new LinkedHashMap<>();
		parameters.put("reason", this.reason);
		parameters.put("state", this.state);
		parameters.put("job", this.job);
		parameters.put("from", this.from);
		parameters.put("to", this.to);
		return parameters;
	}

	Bson filter() {
		requireOneOf("state", this.state, STATES);
		requireOneOf("reason", this.reason, REASONS);
		List<Bson> filters = new ArrayList<>();
		add(filters, "reason", this.reason);
		add(filters, "state", this.state);
		add(filters, "job", this.job);
		if (this.from != null) {
			filters.add(Filters.gte(DeadLetterCollection.FIRST_SEEN, time("from", this.from)));
		}
		if (this.to != null) {
			filters.add(Filters.lte(DeadLetterCollection.FIRST_SEEN, time("to", this.to)));
		}
		return filters.isEmpty() ? new BsonDocument() : Filters.and(filters);
	}

	/** Reads a time; throws 400 for an empty one, too, which must not select all. */
	private static Instant time(String name, String text) {
		try {
			Instant time = OffsetDateTime.parse(text).toInstant();
			return time.isBefore(FIRST) ? FIRST : time.isAfter(LAST) ? LAST : time;
		}
		catch (DateTimeException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"'%s' must be a time as 2026-01-31T12:00:00Z".formatted(name), ex);
		}
	}

	private static void requireOneOf(String name, @Nullable String value, List<String> known) {
		if (value != null && !known.contains(value)) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'%s' must be one of %s".formatted(name, known));
		}
	}

	private static void add(List<Bson> filters, String name, @Nullable String value) {
		if (value != null) {
			filters.add(Filters.eq(name, value));
		}
	}

}
