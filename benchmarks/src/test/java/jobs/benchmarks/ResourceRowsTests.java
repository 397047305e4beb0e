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
	void knowsHowLongABatchWaits() {
		assertThat(ResourceRows.pause(METRICS, "events")).isEqualTo(0.5);
		assertThat(ResourceRows.pause(METRICS, "jobs")).isZero();
	}

	@Test
	void refusesToGuess() {
		assertThatIllegalStateException().isThrownBy(() -> ResourceRows.pause(METRICS, "orders"))
			.withMessageContaining("'orders'");
	}

}
