package jobs.kafkatomongo.deadletter;

import java.util.List;

import jobs.kafkatomongo.consumption.Assignment;
import jobs.kafkatomongo.consumption.ListenerHealth;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

import org.springframework.kafka.annotation.KafkaListener;

/**
 * Copies the dead-letter topic to MongoDB, where people can work with its records. It
 * waits out an outage apart from the listener of the jobs.
 */
class DeadLetterListener {

	private final DeadLetterWrites writes;

	private final ListenerHealth health;

	DeadLetterListener(DeadLetterWrites writes, ListenerHealth health) {
		this.writes = writes;
		this.health = health;
	}

	// few in a batch: some databases read the whole collection for each of them
	@KafkaListener(id = "dead-letters", groupId = "${spring.kafka.consumer.group-id}-dead-letters",
			topics = "${kafka-to-mongo.dead-letter-topic:jobs-topic1-dlt}", batch = "true", concurrency = "1",
			properties = { "max.poll.records=20", "fetch.min.bytes=1", "fetch.max.wait.ms=500" })
	void listen(List<ConsumerRecord<byte[], byte[]>> records, Consumer<?, ?> consumer) {
		this.writes.keep(Assignment.retain(records, consumer));
		this.health.stored();
	}

}
