package jobs.kafkatomongo.lag;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.kafkatomongo.KafkaToMongoProperties;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Looks up, once a minute, how long Kafka keeps the jobs that wait. It needs the right to
 * describe the topic's settings; without it, the time stays unknown.
 */
@Component
public class TopicRetention {

	private static final Logger logger = LoggerFactory.getLogger(TopicRetention.class);

	private static final long TIMEOUT_SECONDS = 3;

	private final LazyAdmin admin;

	private final ConfigResource topic;

	private volatile @Nullable Long millis;

	TopicRetention(LazyAdmin admin, KafkaToMongoProperties properties, MeterRegistry meters) {
		this.admin = admin;
		this.topic = new ConfigResource(ConfigResource.Type.TOPIC, properties.topic());
		Gauge.builder("jobs.topic.retention", this::seconds)
			.baseUnit("seconds")
			.description("How long Kafka keeps a job, stored or not; +Inf for ever, NaN while unknown")
			.register(meters);
	}

	/** How long Kafka keeps a job; {@code null} for ever, or while that is unknown. */
	public @Nullable Duration duration() {
		Long millis = this.millis;
		return (millis != null && millis >= 0) ? Duration.ofMillis(millis) : null;
	}

	private double seconds() {
		Long millis = this.millis;
		if (millis == null) {
			return Double.NaN;
		}
		return (millis >= 0) ? millis / 1000.0 : Double.POSITIVE_INFINITY;
	}

	@Scheduled(fixedDelay = 60, timeUnit = TimeUnit.SECONDS)
	void refresh() throws InterruptedException {
		try {
			Config settings = this.admin.get()
				.describeConfigs(List.of(this.topic))
				.all()
				.get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
				.get(this.topic);
			this.millis = Long.valueOf(Objects.requireNonNull(settings).get("retention.ms").value());
		}
		catch (KafkaException | ExecutionException | TimeoutException ex) {
			logger.debug("The retention of the topic can't be looked up now: {}", ex.toString());
		}
	}

}
