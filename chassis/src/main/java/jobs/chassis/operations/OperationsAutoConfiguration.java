package jobs.chassis.operations;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.autoconfigure.info.ProjectInfoAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Scheduled tasks, and a metric that tells which version runs.
 */
@AutoConfiguration(before = TaskSchedulingAutoConfiguration.class, after = ProjectInfoAutoConfiguration.class)
@EnableScheduling
class OperationsAutoConfiguration {

	/** No service has more scheduled tasks than this. */
	private static final int THREADS = 6;

	/**
	 * Gives each scheduled task a thread, so that one that waits for a backend holds up
	 * no other. Boot's scheduler of virtual threads runs such tasks one after another.
	 */
	@Bean
	ThreadPoolTaskScheduler taskScheduler() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(THREADS);
		scheduler.setThreadNamePrefix("scheduled-");
		// requests in hand on SIGTERM want their waits ended
		scheduler.setAcceptTasksAfterContextClose(true);
		return scheduler;
	}

	@Bean
	@ConditionalOnBean(BuildProperties.class)
	MeterBinder buildInformation(BuildProperties build) {
		return (registry) -> Gauge.builder("jobs.build.info", () -> 1)
			.description("Always 1; its labels tell what runs")
			.tag("service", String.valueOf(build.getArtifact()))
			.tag("version", String.valueOf(build.getVersion()))
			.register(registry);
	}

}
