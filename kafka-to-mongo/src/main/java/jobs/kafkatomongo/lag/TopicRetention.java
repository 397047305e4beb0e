package jobs.kafkatomongo.lag;

import java.time.Duration;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.TopicChecks;
import jobs.contract.resources.Resource;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * How long Kafka keeps the documents that wait, as {@link TopicChecks} saw it last.
 * Without the right to describe the topic's settings, the time stays unknown.
 */
@Component
public class TopicRetention {

	private final TopicChecks topics;

	private final String topic;

	TopicRetention(TopicChecks topics, Resource resource, MeterRegistry meters) {
		this.topics = topics;
		this.topic = resource.topic();
		Gauge.builder("jobs.topic.retention", this::seconds)
			.baseUnit("seconds")
			.description("How long Kafka keeps a document, stored or not; +Inf for ever, NaN while unknown")
			.register(meters);
	}

	/**
	 * How long Kafka keeps a document; {@code null} for ever, or while that is unknown.
	 */
	public @Nullable Duration duration() {
		Long millis = millis();
		return (millis != null && millis >= 0) ? Duration.ofMillis(millis) : null;
	}

	private double seconds() {
		Long millis = millis();
		if (millis == null) {
			return Double.NaN;
		}
		return (millis >= 0) ? millis / 1000.0 : Double.POSITIVE_INFINITY;
	}

	private @Nullable Long millis() {
		String millis = this.topics.setting(this.topic, "retention.ms");
		return (millis != null) ? Long.valueOf(millis) : null;
	}

}
