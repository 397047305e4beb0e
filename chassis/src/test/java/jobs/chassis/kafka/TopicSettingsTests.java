package jobs.chassis.kafka;

import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

	/** Each service creates the topic alike, though one of them counts headers. */
	@ParameterizedTest
	@CsvSource({ "262144, ", "1048576, ", "1048577, 2097152", "1572864, 2097152", "2097152, 3145728",
			"2106368, 3145728", "16777216, 17825792" })
	void takesRecordsThatAreLargerThanKafkasDefault(int bytes, @Nullable String bound) {
		assertThat(TopicSettings.records(Duration.ofDays(7), bytes).get("max.message.bytes")).isEqualTo(bound);
	}

}
