package jobs.chassis.rate;

import java.util.concurrent.TimeUnit;

import io.github.bucket4j.TimeMeter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * A client waits once it has sent more than it may.
 */
class AllowanceTests {

	private final Clock clock = new Clock();

	@Test
	void letsAClientWaitThatHasSentItsJobs() {
		Allowance allowance = new Allowance(new Limit(2L, null), this.clock);
		allowance.takeJob();
		assertThat(allowance.nanosToWait()).isZero();
		allowance.takeJob();

		assertThat(allowance.nanosToWait()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(500));

		this.clock.now += TimeUnit.MILLISECONDS.toNanos(500);
		assertThat(allowance.nanosToWait()).isZero();
	}

	@Test
	void letsAClientMakeUpForALargeJob() {
		Allowance allowance = new Allowance(new Limit(null, 10L), this.clock);

		allowance.takeBytes(100);

		assertThat(allowance.nanosToWait()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(9100));
		this.clock.now += TimeUnit.MINUTES.toNanos(1);
		allowance.takeBytes(10);
		assertThat(allowance.nanosToWait()).isPositive();
	}

	@Test
	void takesTheLargestLimitThatCanBeSet() {
		Allowance allowance = new Allowance(new Limit(Limit.MOST, Limit.MOST), this.clock);
		allowance.takeBytes(Integer.MAX_VALUE);

		assertThat(allowance.nanosToWait()).isPositive();
		assertThatIllegalArgumentException().isThrownBy(() -> new Limit(Limit.MOST + 1, null));
	}

	@Test
	void letsNobodyWaitWithoutALimit() {
		Allowance.UNLIMITED.takeJob();
		Allowance.UNLIMITED.takeBytes(Integer.MAX_VALUE);

		assertThat(Allowance.UNLIMITED.nanosToWait()).isZero();
	}

	@Test
	void keepsOneAllowanceForEachClientAndLimit() {
		Allowances allowances = new Allowances();
		Allowance first = allowances.of("ann", new Limit(1L, null));

		assertThat(allowances.of("ann", new Limit(1L, null))).isSameAs(first);
		assertThat(allowances.of("bob", new Limit(1L, null))).isNotSameAs(first);
		assertThat(allowances.of("ann", new Limit(2L, null))).isNotSameAs(first);
		assertThat(allowances.of("ann", Limit.NONE)).isSameAs(Allowance.UNLIMITED);
	}

	@Test
	void takesTheDefaultWhereAClientHasNoLimitOfItsOwn() {
		assertThat(new Limit(1L, null).or(new Limit(5L, 7L))).isEqualTo(new Limit(1L, 7L));
		assertThatIllegalArgumentException().isThrownBy(() -> new Limit(0L, null));
		assertThatIllegalArgumentException().isThrownBy(() -> new Limit(null, -1L));
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
