package jobs.chassis.operations;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A task that hangs stops no other.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SchedulingTests {

	private static final int HANGING = 20;

	@Test
	void goesOnBesideTasksThatHang() {
		Tasks tasks;
		try (var service = new AnnotationConfigApplicationContext(Service.class)) {
			tasks = service.getBean(Tasks.class);
			Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> tasks.hanging.size() == HANGING);
			long before = tasks.rounds;

			Awaitility.await().atMost(20, TimeUnit.SECONDS).until(() -> tasks.rounds > before + 3);

			tasks.end.countDown();
		}
		assertThat(tasks.hanging).hasSize(HANGING);
	}

	@Configuration(proxyBeanMethods = false)
	@Import(SchedulingTests.Scheduling.class)
	static class Service {

		@Bean
		Tasks tasks() {
			return new Tasks();
		}

		@Bean
		SchedulingConfigurer hanging(Tasks tasks) {
			return (registrar) -> {
				for (int i = 0; i < HANGING; i++) {
					int number = i;
					registrar.addFixedDelayTask(() -> tasks.hang(number), Duration.ofMillis(1));
				}
			};
		}

	}

	/** The part of the operations that has the tasks. */
	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

		private final OperationsAutoConfiguration operations = new OperationsAutoConfiguration();

		@Bean
		ThreadPoolTaskScheduler taskScheduler() {
			return this.operations.taskScheduler();
		}

		@Bean
		ApplicationListener<ContextRefreshedEvent> threads(ThreadPoolTaskScheduler scheduler,
				ObjectProvider<ScheduledTaskHolder> tasks) {
			return this.operations.threadForEachTask(scheduler, tasks);
		}

	}

	static class Tasks {

		private final CountDownLatch end = new CountDownLatch(1);

		private final Set<Integer> hanging = ConcurrentHashMap.newKeySet();

		private volatile long rounds;

		void hang(int number) {
			this.hanging.add(number);
			try {
				this.end.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		}

		@Scheduled(fixedDelay = 1)
		void goOn() {
			this.rounds = this.rounds + 1;
		}

	}

}
