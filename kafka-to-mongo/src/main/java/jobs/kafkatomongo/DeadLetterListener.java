package jobs.kafkatomongo;

import java.util.List;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import org.springframework.kafka.annotation.KafkaListener;

/**
 * Keeps what is in the dead-letter topic in MongoDB, too, where people can work with it.
 * It waits out an outage as the loop of the jobs does, and holds that up in nothing.
 */
class DeadLetterListener {

	private final DeadLetterStore store;

	private final ListenerHealth health;

	DeadLetterListener(DeadLetterStore store, ListenerHealth health) {
		this.store = store;
		this.health = health;
	}

	@KafkaListener(id = "dead-letters", groupId = "${spring.kafka.consumer.group-id}-dead-letters",
			topics = "${kafka-to-mongo.dead-letter-topic:jobs-topic1-dlt}", batch = "true", concurrency = "1",
			properties = { "max.poll.records=100", "fetch.min.bytes=1", "fetch.max.wait.ms=500" })
	void keep(List<ConsumerRecord<byte[], byte[]>> records) {
		this.store.keep(records);
		this.health.stored();
	}

}
