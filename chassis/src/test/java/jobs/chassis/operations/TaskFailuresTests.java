package jobs.chassis.operations;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A stop is silent, and a fault is not.
 */
@ExtendWith(OutputCaptureExtension.class)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TaskFailuresTests {

	@Test
	void doesNotLogThatAStopInterruptedATask(CapturedOutput output) throws InterruptedException {
		ThreadPoolTaskScheduler scheduler;
		Waiting task;
		try (var service = new AnnotationConfigApplicationContext(Service.class, Waiting.class)) {
			scheduler = service.getBean(ThreadPoolTaskScheduler.class);
			task = service.getBean(Waiting.class);
			assertThat(task.begun.await(20, TimeUnit.SECONDS)).isTrue();
		}

		assertThat(scheduler.getScheduledThreadPoolExecutor().awaitTermination(20, TimeUnit.SECONDS)).isTrue();
		assertThat(task.interrupted.getCount()).isZero();
		assertThat(output.getAll()).doesNotContain("ERROR", "InterruptedException");
	}

	@Test
	void logsAFaultAndGoesOn(CapturedOutput output) {
		try (var _ = new AnnotationConfigApplicationContext(Service.class, Broken.class)) {
			Awaitility.await()
				.atMost(20, TimeUnit.SECONDS)
				.until(() -> output.getAll().split("A fault of ours", -1).length > 2);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Service {

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			return new OperationsAutoConfiguration().taskScheduler();
		}

	}

	static class Waiting {

		private final CountDownLatch begun = new CountDownLatch(1);

		private final CountDownLatch interrupted = new CountDownLatch(1);

		@Scheduled(fixedDelay = 1)
		void run() throws InterruptedException {
			this.begun.countDown();
			try {
				Thread.sleep(30_000);
			}
			catch (InterruptedException ex) {
				this.interrupted.countDown();
				throw ex;
			}
		}

	}

	static class Broken {

		@Scheduled(fixedDelay = 1)
		void run() {
			throw new IllegalStateException("A fault of ours");
		}

	}

}
