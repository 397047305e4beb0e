package jobs.resttokafka;

import java.util.List;
import java.util.Map;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.apache.catalina.core.StandardHost;
import org.apache.kafka.clients.producer.ProducerConfig;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.web.filter.RequestContextFilter;

/**
 * The beans of this service.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RestToKafkaProperties.class)
@EnableScheduling
class RestToKafkaConfiguration {

	@Bean
	JobsServlet jobsServlet(RestToKafkaProperties properties, Publisher publisher, JobMetrics metrics) {
		return new JobsServlet(properties, new JobIds(), new Contract(), publisher, metrics);
	}

	@Bean
	JobMetrics jobMetrics(MeterRegistry registry) {
		return new JobMetrics(registry);
	}

	@Bean
	Publisher publisher(KafkaTemplate<String, byte[]> kafka, RestToKafkaProperties properties, JobMetrics metrics) {
		kafka.setMicrometerEnabled(false); // JobMetrics has the same, for less
		return new Publisher(kafka, properties, metrics);
	}

	/**
	 * A thread for each that is scheduled: one that waits for Kafka holds up no other.
	 * Boot's scheduler of virtual threads runs them one after another.
	 */
	@Bean
	ThreadPoolTaskScheduler taskScheduler() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(2);
		scheduler.setThreadNamePrefix("scheduled-");
		// requests in hand on SIGTERM want their waits ended
		scheduler.setAcceptTasksAfterContextClose(true);
		return scheduler;
	}

	@Bean
	ServletRegistrationBean<JobsServlet> jobs(JobsServlet servlet) {
		return new ServletRegistrationBean<>(servlet, "/jobs");
	}

	/**
	 * Not in the way of every job: Spring MVC's filter for those who ask for the request
	 * of their thread.
	 */
	@Bean
	FilterRegistrationBean<RequestContextFilter> noRequestContextFilter() {
		FilterRegistrationBean<RequestContextFilter> filter = new FilterRegistrationBean<>(new RequestContextFilter());
		filter.setEnabled(false);
		return filter;
	}

	@Bean("kafka")
	KafkaTopics kafkaTopics(KafkaAdmin kafka, RestToKafkaProperties properties) {
		return new KafkaTopics(kafka.getConfigurationProperties(), List
			.of(KafkaTopics.topic(properties.topic(), properties.partitions(), properties.replication(), Map.of())));
	}

	@Bean
	DefaultKafkaProducerFactoryCustomizer recordsOfTheSizeOfAJob(RestToKafkaProperties properties) {
		int size = Math.toIntExact(properties.maxJobSize().toBytes()) + 64 * 1024;
		return (factory) -> factory.updateConfigs(Map.of(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, size));
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedHttp(JobMetrics metrics, RequestTraces traces) {
		return (factory) -> {
			factory.setProtocol(BoundedHttp.class.getName());
			factory.addConnectorCustomizers((connector) -> connector.setProperty("socket.appWriteBufSize", "2048"));
			factory.addEngineValves(traces, new RequestBounds(metrics));
		};
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> problemsForTomcatsErrors() {
		return (factory) -> factory.addContextCustomizers((context) -> ((StandardHost) context.getParent())
			.setErrorReportValveClass(ProblemValve.class.getName()));
	}

	@Bean
	ApiDocuments apiDocuments() {
		return new ApiDocuments();
	}

	@Bean
	MeterBinder buildInformation(BuildProperties build) {
		return (registry) -> Gauge.builder("jobs.build.info", () -> 1)
			.description("Always 1; its labels tell what runs")
			.tag("service", String.valueOf(build.getArtifact()))
			.tag("version", String.valueOf(build.getVersion()))
			.register(registry);
	}

	@Bean
	Tracing tracing(@Value("${spring.application.name}") String service,
			@Value("${otel.exporter.otlp.endpoint:}") String endpoint,
			@Value("${otel.traces.sampler.arg:1.0}") double share) {
		return new Tracing(service, endpoint, share);
	}

	@Bean
	RequestTraces requestTraces(Tracing tracing) {
		return new RequestTraces(tracing);
	}

}
