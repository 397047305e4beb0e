package jobs.chassis.kafka;

import java.util.Map;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code POST /actuator/topics}: an operator has the required topics created that
 * somebody has deleted.
 */
@Endpoint(id = "topics")
class TopicsEndpoint {

	private final KafkaTopics topics;

	TopicsEndpoint(KafkaTopics topics) {
		this.topics = topics;
	}

	@WriteOperation
	Map<String, Object> create() throws InterruptedException {
		this.topics.create();
		return Map.of("status", this.topics.health().getStatus().getCode(), "details",
				this.topics.health().getDetails());
	}

}
