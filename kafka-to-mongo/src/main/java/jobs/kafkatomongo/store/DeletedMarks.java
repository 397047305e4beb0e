package jobs.kafkatomongo.store;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import jobs.chassis.kafka.TopicChecks;
import jobs.chassis.operations.SettingException;
import jobs.chassis.operations.Warnings;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.KafkaToMongoProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Warns where the mark of a deleted document goes before the topic has lost all older
 * versions: whoever reads one of them again would store it again.
 */
@Component
class DeletedMarks {

	private final TopicChecks topics;

	private final Resource resource;

	private final Duration kept;

	private final Warnings.Warning warning;

	DeletedMarks(TopicChecks topics, Resource resource, KafkaToMongoProperties properties, Warnings warnings) {
		this.topics = topics;
		this.resource = resource;
		this.kept = properties.deletedKept();
		if (this.kept.isNegative()) {
			throw new SettingException(
					"kafka-to-mongo.deleted-kept is %s; it must be a time, or 0 for ever".formatted(this.kept));
		}
		this.warning = warnings.about(resource.named("deleted-kept"));
	}

	@Scheduled(fixedRate = 20, timeUnit = TimeUnit.SECONDS)
	void look() {
		if (!this.resource.hasVersions() || this.kept.isZero()) {
			this.warning.note(null);
			return;
		}
		String retention = this.topics.setting(this.resource.topic(), "retention.ms");
		String segment = this.topics.setting(this.resource.topic(), "segment.ms");
		String policy = this.topics.setting(this.resource.topic(), "cleanup.policy");
		if (retention == null || segment == null) {
			this.warning.unknown();
			return;
		}
		this.warning.note(tooShort(Long.parseLong(retention), Long.parseLong(segment), policy));
	}

	/** Kafka deletes whole segments, each once its last record is old enough. */
	private @Nullable String tooShort(long retention, long segment, @Nullable String policy) {
		boolean isForEver = retention < 0 || (policy != null && !policy.contains("delete"));
		long millis = (retention > Long.MAX_VALUE - segment) ? Long.MAX_VALUE : retention + segment;
		if (!isForEver && millis < this.kept.toMillis()) {
			return null;
		}
		return ("The marks of deleted documents go after %s, but %s keeps records %s: an older version that is read again would"
				+ " be stored again; raise KAFKA_TO_MONGO_DELETED_KEPT, or set it to 0 for ever")
			.formatted(this.kept, this.resource.topic(),
					isForEver ? "for ever" : "for up to " + Duration.ofMillis(millis));
	}

}
