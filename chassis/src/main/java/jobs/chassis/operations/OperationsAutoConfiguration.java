package jobs.chassis.operations;

import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.info.ProjectInfoAutoConfiguration;
import org.springframework.boot.autoconfigure.task.TaskSchedulingAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.support.TaskUtils;
import org.springframework.util.ErrorHandler;

/**
 * Gives a service scheduled tasks, metrics of the running version and of its parts,
 * traces, and time to drain its connections before it stops.
 */
@AutoConfiguration(before = TaskSchedulingAutoConfiguration.class, after = ProjectInfoAutoConfiguration.class)
@EnableScheduling
public class OperationsAutoConfiguration {

	/**
	 * The longest time to drain connections, since what supervises a service waits no
	 * longer.
	 */
	private static final Duration LONGEST_DRAINING = Duration.ofSeconds(20);

	/**
	 * Gives each scheduled task a thread, so that a task that waits for a backend delays
	 * no other. Boot's scheduler for virtual threads runs such tasks one after another.
	 */
	@Bean
	ThreadPoolTaskScheduler taskScheduler() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setThreadNamePrefix("scheduled-");
		// after SIGTERM, open requests still need the tasks that end their waits
		scheduler.setAcceptTasksAfterContextClose(true);
		scheduler.setErrorHandler(new TaskFailures(() -> scheduler.getScheduledThreadPoolExecutor().isShutdown()));
		return scheduler;
	}

	/** Makes as many threads as there are scheduled tasks, once all are known. */
	@Bean
	ApplicationListener<ContextRefreshedEvent> threadForEachTask(ThreadPoolTaskScheduler scheduler,
			ObjectProvider<ScheduledTaskHolder> tasks) {
		return (event) -> scheduler
			.setPoolSize(Math.max(1, tasks.stream().mapToInt((holder) -> holder.getScheduledTasks().size()).sum()));
	}

	@Bean
	static UnknownSettings unknownSettings() {
		return new UnknownSettings();
	}

	@Bean
	Warnings warnings(MeterRegistry meters) {
		return new Warnings(meters);
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

	/**
	 * Traces requests where an OTLP endpoint is set, but those for paths that begin with
	 * one of {@code jobs.untraced-paths}, which a service sets for what asks all the
	 * time.
	 */
	@Bean
	Tracing tracing(@Value("${spring.application.name}") String service,
			@Value("${otel.exporter.otlp.endpoint:}") String endpoint,
			@Value("${otel.traces.sampler.arg:1.0}") double share,
			@Value("${jobs.untraced-paths:/actuator/}") List<String> untraced) {
		return new Tracing(service, endpoint, share, untraced);
	}

	@Bean
	RequestTraces requestTraces(Tracing tracing) {
		return new RequestTraces(tracing);
	}

	/**
	 * Drains connections for the time in {@code jobs.farewell} before a service stops.
	 * Where it is not set, nothing is in the way. Throws SettingException where the time
	 * is negative or above 20 s.
	 */
	@Bean
	@ConditionalOnProperty("jobs.farewell")
	ConnectionDraining connectionDraining(@Value("${jobs.farewell}") Duration time, ApplicationContext context) {
		if (time.isNegative() || time.compareTo(LONGEST_DRAINING) > 0) {
			throw new SettingException(
					"jobs.farewell must be 0s to %d s, and is %s".formatted(LONGEST_DRAINING.toSeconds(), time));
		}
		return new ConnectionDraining(time, context);
	}

	@Bean
	@ConditionalOnProperty("jobs.farewell")
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> connectionDrainingValve(ConnectionDraining draining) {
		return (factory) -> factory.addEngineValves(draining.valve());
	}

	/**
	 * Logs what scheduled tasks throw, but not that a stop interrupted one that waited
	 * for a backend.
	 */
	record TaskFailures(BooleanSupplier stopping) implements ErrorHandler {

		@Override
		public void handleError(Throwable failure) {
			if (!this.stopping.getAsBoolean()
					|| !(NestedExceptionUtils.getMostSpecificCause(failure) instanceof InterruptedException)) {
				TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.handleError(failure);
			}
		}

	}

}
