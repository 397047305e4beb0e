package jobs.chassis.operations;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.info.ProjectInfoAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.info.BuildProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Gives a service scheduled tasks, and metrics of the running version and of its parts.
 */
@AutoConfiguration(before = TaskSchedulingAutoConfiguration.class, after = ProjectInfoAutoConfiguration.class)
@EnableScheduling
class OperationsAutoConfiguration {

	/** No service has more scheduled tasks than this. */
	private static final int THREADS = 12;

	/**
	 * Gives each scheduled task a thread, so that a task that waits for a backend delays
	 * no other. Boot's scheduler for virtual threads runs such tasks one after another.
	 */
	@Bean
	ThreadPoolTaskScheduler taskScheduler() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(THREADS);
		scheduler.setThreadNamePrefix("scheduled-");
		// after SIGTERM, open requests still need the tasks that end their waits
		scheduler.setAcceptTasksAfterContextClose(true);
		scheduler.setErrorHandler(new TaskFailures(() -> scheduler.getScheduledThreadPoolExecutor().isShutdown()));
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

	@Bean
	MeterBinder partsUp(ObjectProvider<Part> parts) {
		return (registry) -> parts
			.forEach((part) -> Gauge.builder("jobs.part.up", () -> part.health().getStatus().equals(Status.UP) ? 1 : 0)
				.description("1 while a part is UP without which the service is not ready")
				.tag("part", part.part())
				.register(registry));
	}

}
