package jobs.endtoend.seen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * At twenty times faster, a minute of an alert becomes three seconds, wherever it stands,
 * and nothing else changes.
 */
class ScaledAlertsTests {

	@Test
	void scalesTimesRangesOffsetsAndSeconds() {
		assertThat(ScaledAlerts.of("""
				expr: max(jobs_oldest_waiting_seconds) > 300
				expr: a_seconds > 0 and b > 10000 and sum(rate(a[5m])) > sum(b offset 1h) + 0.01
				for: 30s
				annotations: {summary: 'waits for five minutes, for 5m'}
				""", 20)).isEqualTo("""
				expr: max(jobs_oldest_waiting_seconds) > 15.0
				expr: a_seconds > 0.0 and b > 10000 and sum(rate(a[15000ms])) > sum(b offset 180000ms) + 0.01
				for: 1500ms
				annotations: {summary: 'waits for five minutes, for 5m'}
				""");
	}

	@Test
	void leavesNoTimeOfTheAlertsAsItWas() throws IOException {
		String rules = Files.readString(Path.of("../observability/alerts.yml"));

		assertThat(rules).containsPattern("\\d[mh]\\b");
		assertThat(ScaledAlerts.of(rules, 20)).doesNotContainPattern("\\d[mhd]\\b").contains("[15000ms]");
	}

}
