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
		RateLimit rateLimit = new RateLimit(new Rate(2L, null), this.clock);
		rateLimit.takeDocument();
		assertThat(rateLimit.nanosToWait()).isZero();
		rateLimit.takeDocument();

		assertThat(rateLimit.nanosToWait()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));

		this.clock.now += TimeUnit.MILLISECONDS.toNanos(500);
		assertThat(rateLimit.nanosToWait()).isZero();
	}

	@Test
	void letsAClientMakeUpForALargeJob() {
		RateLimit rateLimit = new RateLimit(new Rate(null, 10L), this.clock);

		rateLimit.takeBytes(100);

		assertThat(rateLimit.nanosToWait()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(9100));
		this.clock.now += TimeUnit.MINUTES.toNanos(1);
		rateLimit.takeBytes(10);
		assertThat(rateLimit.nanosToWait()).isPositive();
	}

	@Test
	void takesTheLargestLimitThatCanBeSet() {
		RateLimit rateLimit = new RateLimit(new Rate(Rate.MOST, Rate.MOST), this.clock);
		rateLimit.takeBytes(Integer.MAX_VALUE);

		assertThat(rateLimit.nanosToWait()).isPositive();
		assertThatIllegalArgumentException().isThrownBy(() -> new Rate(Rate.MOST + 1, null));
	}

	@Test
	void letsNobodyWaitWithoutALimit() {
		RateLimit.UNLIMITED.takeDocument();
		RateLimit.UNLIMITED.takeBytes(Integer.MAX_VALUE);

		assertThat(RateLimit.UNLIMITED.nanosToWait()).isZero();
	}

	@Test
	void keepsOneAllowanceForEachClientAndLimit() {
		RateLimits rateLimits = new RateLimits();
		RateLimit first = rateLimits.of("ann", new Rate(1L, null));

		assertThat(rateLimits.of("ann", new Rate(1L, null))).isSameAs(first);
		assertThat(rateLimits.of("bob", new Rate(1L, null))).isNotSameAs(first);
		assertThat(rateLimits.of("ann", new Rate(2L, null))).isNotSameAs(first);
		assertThat(rateLimits.of("ann", Rate.NONE)).isSameAs(RateLimit.UNLIMITED);
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
