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
		RateLimits rateLimits = new RateLimits();
		RateLimit rateLimit = rateLimits.of("quick", new Rate(20L, null));
		for (int i = 0; i < 20; i++) {
			rateLimit.takeDocument();
		}

		assertThat(rateLimits.nanosToWait(rateLimit)).isZero();
	}

	@Test
	void letsItWaitForATenthOfASecondAtMost() {
		RateLimits rateLimits = new RateLimits(this.pauses::add);
		RateLimit rateLimit = spent(rateLimits);

		assertThat(rateLimits.nanosToWait(rateLimit)).isPositive();
		assertThat(this.pauses).containsExactly(TimeUnit.MILLISECONDS.toNanos(100));
	}

	@Test
	void letsFewWaitAtOnce() throws InterruptedException {
		CountDownLatch waiting = new CountDownLatch(RateLimits.WAITING);
		CountDownLatch end = new CountDownLatch(1);
		RateLimits rateLimits = new RateLimits((nanos) -> {
			waiting.countDown();
			end.await();
		});
		RateLimit rateLimit = spent(rateLimits);
		List<Thread> threads = new ArrayList<>();
		for (int i = 0; i < RateLimits.WAITING; i++) {
			threads.add(Thread.startVirtualThread(() -> rateLimits.nanosToWait(rateLimit)));
		}
		assertThat(waiting.await(10, TimeUnit.SECONDS)).isTrue();

		Thread beyond = Thread.startVirtualThread(() -> rateLimits.nanosToWait(rateLimit));

		assertThat(beyond.join(Duration.ofSeconds(10))).isTrue();
		end.countDown();
		for (Thread thread : threads) {
			thread.join();
		}
	}

	@Test
	void letsNobodyWaitWhoMaySend() {
		RateLimits rateLimits = new RateLimits(this.pauses::add);

		assertThat(rateLimits.nanosToWait(RateLimit.UNLIMITED)).isZero();
		assertThat(this.pauses).isEmpty();
	}

	/** Of a client that has to wait for many seconds. */
	private static RateLimit spent(RateLimits rateLimits) {
		RateLimit rateLimit = rateLimits.of("greedy", new Rate(null, 1L));
		rateLimit.takeBytes(100);
		return rateLimit;
	}

}
