package jobs.benchmarks;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** What is read of the service while it is measured. */
class ResourceRowsTests {

	private static final String METRICS = """
			# TYPE jobs_back_off_seconds gauge
			jobs_back_off_seconds{resource="events"} 0.5
			jobs_back_off_seconds{resource="jobs"} 0.0
			jobs_lag{partition="0",resource="orders"} 7.0
			""";

	@Test
	void knowsAResourceThatWaits() {
		assertThat(ResourceRows.waits(METRICS, "events")).isTrue();
		assertThat(ResourceRows.waits(METRICS, "jobs")).isFalse();
	}

	@Test
	void refusesToGuess() {
		assertThatIllegalStateException().isThrownBy(() -> ResourceRows.waits(METRICS, "orders"))
			.withMessageContaining("'orders'");
	}

}
