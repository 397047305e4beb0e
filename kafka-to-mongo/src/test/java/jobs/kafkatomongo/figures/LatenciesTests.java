package jobs.kafkatomongo.figures;

import java.time.Duration;

import io.micrometer.core.instrument.Timer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Percentiles come from the buckets of the timer, and are of the time between two looks.
 */
class LatenciesTests {

	private final Timer timer = Timer.builder("a")
		.serviceLevelObjectives(Duration.ofMillis(10), Duration.ofMillis(100), Duration.ofSeconds(1))
		.register(new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));

	@Test
	void knowsNothingWithoutJobs() {
		assertThat(snapshot().percentile(0.5, Sampler.Latencies.NONE)).isNull();
		assertThat(Sampler.Latencies.NONE.percentile(0.5, Sampler.Latencies.NONE)).isNull();
		record(3, 50);
		assertThat(snapshot().percentile(0.5, snapshot())).isNull();
	}

	@Test
	void estimatesWithinTheBucket() {
		record(98, 5);
		record(2, 500);

		assertThat(snapshot().percentile(0.5, Sampler.Latencies.NONE)).isBetween(0.0, 10.0);
		assertThat(snapshot().percentile(0.99, Sampler.Latencies.NONE)).isEqualTo(550, Offset.offset(1.0));
	}

	@Test
	void looksAtWhatCameSince() {
		record(1000, 5);
		Sampler.Latencies before = snapshot();
		record(10, 50);

		assertThat(snapshot().percentile(0.5, before)).isEqualTo(55, Offset.offset(1.0));
	}

	@Test
	void saysOfTheSlowestThatTheyWereBeyondTheLastBucket() {
		record(1, 5000);

		assertThat(snapshot().percentile(0.99, Sampler.Latencies.NONE)).isEqualTo(1000);
	}

	private Sampler.Latencies snapshot() {
		return Sampler.Latencies.of(this.timer.takeSnapshot());
	}

	private void record(int jobs, long millis) {
		for (int i = 0; i < jobs; i++) {
			this.timer.record(Duration.ofMillis(millis));
		}
	}

}
