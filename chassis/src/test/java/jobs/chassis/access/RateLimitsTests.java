package jobs.chassis.access;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A request that comes a little too early waits for its turn.
 */
class RateLimitsTests {

	private final List<Long> pauses = new ArrayList<>();

	@Test
	void letsARequestWaitForItsTurn() {
		RateLimits allowances = new RateLimits();
		RateLimit allowance = allowances.of("quick", new Rate(20L, null));
		for (int i = 0; i < 20; i++) {
			allowance.takeJob();
		}

		assertThat(allowances.nanosToWait(allowance)).isZero();
	}

	@Test
	void letsItWaitForATenthOfASecondAtMost() {
		RateLimits allowances = new RateLimits(this.pauses::add);
		RateLimit allowance = spent(allowances);

		assertThat(allowances.nanosToWait(allowance)).isPositive();
		assertThat(this.pauses).containsExactly(TimeUnit.MILLISECONDS.toNanos(100));
	}

	@Test
	void letsFewWaitAtOnce() throws InterruptedException {
		CountDownLatch waiting = new CountDownLatch(RateLimits.WAITING);
		CountDownLatch end = new CountDownLatch(1);
		RateLimits allowances = new RateLimits((nanos) -> {
			waiting.countDown();
			end.await();
		});
		RateLimit allowance = spent(allowances);
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < RateLimits.WAITING; i++) {
			threads.add(Thread.startVirtualThread(() -> allowances.nanosToWait(allowance)));
		}
		assertThat(waiting.await(10, TimeUnit.SECONDS)).isTrue();

		Thread beyond = Thread.startVirtualThread(() -> allowances.nanosToWait(allowance));

		assertThat(beyond.join(Duration.ofSeconds(10))).isTrue();
		end.countDown();
		for (Thread thread : threads) {
			thread.join();
		}
	}

	@Test
	void letsNobodyWaitWhoMaySend() {
		RateLimits allowances = new RateLimits(this.pauses::add);

		assertThat(allowances.nanosToWait(RateLimit.UNLIMITED)).isZero();
		assertThat(this.pauses).isEmpty();
	}

	/** Of a client that has to wait for many seconds. */
	private static RateLimit spent(RateLimits allowances) {
		RateLimit allowance = allowances.of("greedy", new Rate(null, 1L));
		allowance.takeBytes(100);
		return allowance;
	}

}
