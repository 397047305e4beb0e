package jobs.endtoend.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A consumer as a tool has one: it reads, commits, and stores nothing. */
final class Stranger {

	private final KafkaConsumer<byte[], byte[]> consumer;

	private final Thread thread;

	private volatile boolean ending;

	/** Joins a group at once. */
	Stranger(String kafka, String group, String topic) {
		this.consumer = new KafkaConsumer<>(
				Map.of("bootstrap.servers", kafka, "group.id", group, "client.id", "a-tool", "auto.offset.reset",
						"earliest", "auto.commit.interval.ms", 1000),
				new ByteArrayDeserializer(), new ByteArrayDeserializer());
		this.consumer.subscribe(List.of(topic));
		this.thread = Thread.ofPlatform().daemon().start(this::read);
	}

	private void read() {
		try (this.consumer) {
			while (!this.ending) {
				this.consumer.poll(Duration.ofMillis(100));
			}
		}
	}

	/** Commits and leaves the group. */
	void leave() throws InterruptedException {
		this.ending = true;
		this.thread.join(Duration.ofSeconds(60));
	}

}
