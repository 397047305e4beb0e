package jobs.chassis.kafka;

import java.util.Map;

import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code POST /actuator/topics}: an operator has a required topic created that somebody
 * has deleted. The body names it as JSON, which a page of another site can't send.
 */
@Endpoint(id = "topics")
class TopicsEndpoint {

	private final KafkaTopics topics;

	TopicsEndpoint(KafkaTopics topics) {
		this.topics = topics;
	}

	@WriteOperation
	Map<String, Object> create(String topic) throws InterruptedException {
		this.topics.create(topic);
		return Map.of("status", this.topics.health().getStatus().getCode(), "details",
				this.topics.health().getDetails());
	}

}
