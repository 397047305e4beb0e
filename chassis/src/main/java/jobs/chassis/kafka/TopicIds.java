package jobs.chassis.kafka;

import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** Knows the ids by which Kafka tells topics apart that had the same name in turn. */
@FunctionalInterface
public interface TopicIds {

	/** The id of a required topic at the last look, or {@code null} before the first. */
	@Nullable Uuid id(String topic);

}
