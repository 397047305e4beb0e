package jobs.kafkatomongo.consumption;

import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.operations.Warnings;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.Records;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.junit.jupiter.api.Test;

import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Whatever somebody sets, no record is passed over that is not stored.
 */
class ConsumptionConfigurationTests {

	@Test
	void leavesNoCommitAndNoResetToKafkasClient() {
		KafkaProperties properties = new KafkaProperties();
		properties.getConsumer().setMaxPollRecords(10);
		DefaultKafkaConsumerFactory<byte[], byte[]> configured = new DefaultKafkaConsumerFactory<>(Map
			.of(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, true, ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "latest"));

		DefaultKafkaConsumerFactory<byte[], byte[]> consumers = new ConsumptionConfiguration()
			.consumers(configured, properties, Records.jobs("jobs"),
					new Resources(List.of(Records.jobs("jobs")), false), new OffsetGuard((topic) -> null,
							new DeletedUnread(new SimpleMeterRegistry()), new StoredOffsets(new LazyAdmin(Map.of()),
									"stored", new Warnings(new SimpleMeterRegistry()).about("stored-offsets"))),
					new Refusals());

		assertThat(consumers.getConfigurationProperties())
			.containsEntry(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false)
			.containsEntry(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
	}

}
