package jobs.chassis.kafka;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What an acknowledgement means, on a broker with its own defaults.
 */
class TopicSettingsTests {

	@Test
	void wantsTwoReplicasToHaveAJobWhereThereAreThree() {
		assertThat(new TopicSettings("jobs", 6, (short) 3, 0, Map.of("retention.ms", "-1")).newTopic().configs())
			.containsEntry("min.insync.replicas", "2")
			.containsEntry("retention.ms", "-1");
		assertThat(new TopicSettings("jobs", 6, (short) 1, 0, Map.of()).newTopic().configs()).isEmpty();
		assertThat(new TopicSettings("jobs", 6, null, 0, Map.of()).newTopic().configs()).isEmpty();
	}

}
