package jobs.kafkatomongo.figures;

import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

import jobs.contract.resources.Resource;
import jobs.kafkatomongo.lag.ConsumerLag;
import jobs.kafkatomongo.lag.TopicRetention;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/** Tells the console how a resource does. */
@Component
public class Figures {

	private final Resource resource;

	private final ConsumerLag lag;

	private final TopicRetention retention;

	private final OpenDeadLetters deadLetters;

	private final Sampler.History history;

	Figures(Resource resource, ConsumerLag lag, TopicRetention retention, OpenDeadLetters deadLetters,
			Sampler sampler) {
		this.resource = resource;
		this.lag = lag;
		this.retention = retention;
		this.deadLetters = deadLetters;
		this.history = sampler.history();
	}

	/** What is known now, and the samples after the first {@code seen} ones. */
	public Now after(long seen) {
		Sampler.History.Part samples = this.history.after(seen);
		ConsumerLag.Snapshot lag = this.lag.snapshot();
		boolean known = lag.at().isAfter(Instant.EPOCH);
		Map<String, @Nullable Object> fields = new LinkedHashMap<>();
		fields.put("topic", this.resource.topic());
		fields.put("measuredAt", known ? lag.at().toEpochMilli() : null);
		fields.put("recent", lag.isRecent());
		fields.put("published", known ? lag.published() : null);
		fields.put("waiting", known ? lag.waiting() : null);
		fields.put("oldest", (lag.oldest() != null) ? lag.oldest().toEpochMilli() : null);
		fields.put("retention", millis(this.retention.duration()));
		fields.put("deadLetters", this.deadLetters.count());
		fields.put("history", seen == 0);
		fields.put("samples", samples.samples().stream().map(Figures::row).toList());
		return new Now(samples.count(), fields);
	}

	private static @Nullable Long millis(@Nullable Duration duration) {
		return (duration != null) ? duration.toMillis() : null;
	}

	/** A sample as an array, since there are hundreds. */
	private static @Nullable Object[] row(Sampler.History.Sample one) {
		return new @Nullable Object[] { one.at().toEpochMilli(), one.accepted(), one.stored(), one.waiting(),
				one.median(), one.p99(), one.deadLetters() };
	}

	/**
	 * The figures of a moment.
	 *
	 * @param samples how many samples there ever were
	 * @param fields as the page gets them; all times are in milliseconds since 1970
	 */
	public record Now(long samples, Map<String, @Nullable Object> fields) {

	}

}
