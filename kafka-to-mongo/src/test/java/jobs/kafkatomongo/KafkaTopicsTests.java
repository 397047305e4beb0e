package jobs.kafkatomongo;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an acknowledgement means, on a broker with its own defaults.
 */
class KafkaTopicsTests {

	@Test
	void wantsTwoReplicasToHaveAJobWhereThereAreThree() {
		assertThat(KafkaTopics.topic("jobs", 6, (short) 3, Map.of("retention.ms", "-1")).configs())
			.containsEntry("min.insync.replicas", "2")
			.containsEntry("retention.ms", "-1");
		assertThat(KafkaTopics.topic("jobs", 6, (short) 1, Map.of()).configs()).isEmpty();
		assertThat(KafkaTopics.topic("jobs", 6, null, Map.of()).configs()).isEmpty();
	}

}
