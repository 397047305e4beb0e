package jobs.chassis.http;

import java.time.Duration;

import jobs.chassis.http.ImpatientHttpProtocol.Activity;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Somebody sets the clock of the machine: no client was slower or faster by that.
 */
class ActivityTests {

	private static final long NOON = 1_800_000_000_000L;

	@ParameterizedTest
	@ValueSource(longs = { -3_600_000, 0, 60_000, 3_600_000 })
	void countsTheTimeSinceTheLastByteWhateverTheClockSays(long step) {
		long ago = System.nanoTime() - Duration.ofSeconds(5).toNanos();
		long justNow = System.nanoTime();

		Activity silent = new Activity(ago, ago, ago, NOON, NOON).after(NOON, NOON, justNow);
		Activity active = new Activity(ago, ago, ago, NOON, NOON).after(NOON + step + 1, NOON, justNow);

		assertThat(silent.millisIdle()).isGreaterThanOrEqualTo(5000);
		assertThat(active.millisIdle()).isLessThan(5000);
		assertThat(active.written()).isEqualTo(ago);
	}

}
