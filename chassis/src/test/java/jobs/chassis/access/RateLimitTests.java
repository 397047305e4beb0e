package jobs.chassis.access;

import java.util.concurrent.TimeUnit;

import io.github.bucket4j.TimeMeter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * A client waits once it has sent more than it may.
 */
class RateLimitTests {

	private final Clock clock = new Clock();

	@Test
	void letsAClientWaitThatHasSentItsJobs() {
		RateLimit allowance = new RateLimit(new Rate(2L, null), this.clock);
		allowance.takeJob();
		assertThat(allowance.nanosToWait()).isZero();
		allowance.takeJob();

		assertThat(allowance.nanosToWait()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));

		this.clock.now += TimeUnit.MILLISECONDS.toNanos(500);
		assertThat(allowance.nanosToWait()).isZero();
	}

	@Test
	void letsAClientMakeUpForALargeJob() {
		RateLimit allowance = new RateLimit(new Rate(null, 10L), this.clock);

		allowance.takeBytes(100);

		assertThat(allowance.nanosToWait()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(9100));
		this.clock.now += TimeUnit.MINUTES.toNanos(1);
		allowance.takeBytes(10);
		assertThat(allowance.nanosToWait()).isPositive();
	}

	@Test
	void takesTheLargestLimitThatCanBeSet() {
		RateLimit allowance = new RateLimit(new Rate(Rate.MOST, Rate.MOST), this.clock);
		allowance.takeBytes(Integer.MAX_VALUE);

		assertThat(allowance.nanosToWait()).isPositive();
		assertThatIllegalArgumentException().isThrownBy(() -> new Rate(Rate.MOST + 1, null));
	}

	@Test
	void letsNobodyWaitWithoutALimit() {
		RateLimit.UNLIMITED.takeJob();
		RateLimit.UNLIMITED.takeBytes(Integer.MAX_VALUE);

		assertThat(RateLimit.UNLIMITED.nanosToWait()).isZero();
	}

	@Test
	void keepsOneAllowanceForEachClientAndLimit() {
		RateLimits allowances = new RateLimits();
		RateLimit first = allowances.of("ann", new Rate(1L, null));

		assertThat(allowances.of("ann", new Rate(1L, null))).isSameAs(first);
		assertThat(allowances.of("bob", new Rate(1L, null))).isNotSameAs(first);
		assertThat(allowances.of("ann", new Rate(2L, null))).isNotSameAs(first);
		assertThat(allowances.of("ann", Rate.NONE)).isSameAs(RateLimit.UNLIMITED);
	}

	@Test
	void takesTheDefaultWhereAClientHasNoLimitOfItsOwn() {
		assertThat(new Rate(1L, null).or(new Rate(5L, 7L))).isEqualTo(new Rate(1L, 7L));
		assertThatIllegalArgumentException().isThrownBy(() -> new Rate(0L, null));
		assertThatIllegalArgumentException().isThrownBy(() -> new Rate(null, -1L));
	}

	private static final class Clock implements TimeMeter {

		private long now;

		@Override
		public long currentTimeNanos() {
			return this.now;
		}

		@Override
		public boolean isWallClockBased() {
			return false;
		}

	}

}
