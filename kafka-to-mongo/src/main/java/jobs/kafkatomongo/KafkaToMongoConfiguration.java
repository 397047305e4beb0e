package jobs.kafkatomongo;

import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.SemaphoreValve;
import org.bson.BsonDocument;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.info.BuildProperties;
import org.springframework.boot.mongodb.autoconfigure.MongoClientSettingsBuilderCustomizer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.kafka.config.ContainerCustomizer;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.util.backoff.ExponentialBackOff;

/**
 * The beans of this service.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(KafkaToMongoProperties.class)
@EnableScheduling
class KafkaToMongoConfiguration {

	@Bean
	JobListener jobListener(JobParser parser, MongoCollection<BsonDocument> collection,
			KafkaTemplate<byte[], byte[]> kafka, ListenerHealth health, KafkaToMongoProperties properties,
			JobMetrics metrics, Tracing tracing) {
		return new JobListener(parser, new JobStore(collection, metrics),
				new DeadLetterPublisher(kafka, properties.deadLetterTopic(), metrics), health, metrics,
				new BatchTraces(tracing));
	}

	@Bean
	JobParser jobParser(KafkaToMongoProperties properties) {
		return new JobParser(Clock.systemUTC(), Math.toIntExact(properties.maxJobSize().toBytes()));
	}

	@Bean
	JobMetrics jobMetrics(MeterRegistry registry) {
		return new JobMetrics(registry);
	}

	@Bean
	DeadLetterListener deadLetterListener(DeadLetterStore store, ListenerHealth health) {
		return new DeadLetterListener(store, health);
	}

	@Bean
	DeadLetterStore deadLetterStore(MongoDatabaseFactory mongo, KafkaToMongoProperties properties) {
		return new DeadLetterStore(
				mongo.getMongoDatabase().getCollection(properties.deadLetterCollection(), BsonDocument.class),
				Math.toIntExact(properties.maxJobSize().toBytes()));
	}

	@Bean
	Replays replays(KafkaTemplate<byte[], byte[]> kafka, DeadLetterStore store, KafkaToMongoProperties properties) {
		return new Replays(kafka, store, properties.topic());
	}

	@Bean
	Backlog backlog(ConsumerFactory<byte[], byte[]> consumers, KafkaToMongoProperties properties, JobMetrics metrics) {
		return new Backlog(consumers.getConfigurationProperties(), properties.topic(), metrics);
	}

	@Bean
	JsonAnswers jsonAnswers() {
		return new JsonAnswers();
	}

	@Bean("listener")
	ListenerHealth listenerHealth(KafkaListenerEndpointRegistry registry, KafkaToMongoProperties properties,
			JobMetrics metrics) {
		return new ListenerHealth(registry, Clock.systemUTC(), properties.maxBackOff(), metrics);
	}

	/**
	 * A thread for each that is scheduled: one that waits for a backend holds up no
	 * other. Boot's scheduler of virtual threads runs them one after another.
	 */
	@Bean
	ThreadPoolTaskScheduler taskScheduler() {
		ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
		scheduler.setPoolSize(6);
		scheduler.setThreadNamePrefix("scheduled-");
		return scheduler;
	}

	@Bean
	StoredJobs storedJobs(MongoCollection<BsonDocument> collection) {
		return new StoredJobs(collection);
	}

	@Bean("mongoHealthIndicator")
	MongoHealth mongoHealth(MongoDatabaseFactory mongo) {
		return new MongoHealth(mongo.getMongoDatabase());
	}

	@Bean
	MongoCollection<BsonDocument> collection(MongoDatabaseFactory mongo, KafkaToMongoProperties properties) {
		return mongo.getMongoDatabase().getCollection(properties.collection(), BsonDocument.class);
	}

	/**
	 * Bounds for waits that the driver leaves open or long; an address with its own wins.
	 * Its time to connect (10 s) stays: it bounds the heartbeats, too, and a slow
	 * database is not to be taken for a dead one.
	 */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	MongoClientSettingsBuilderCustomizer boundedWaits() {
		return (settings) -> settings
			.applyToClusterSettings((cluster) -> cluster.serverSelectionTimeout(2, TimeUnit.SECONDS))
			.applyToConnectionPoolSettings((pool) -> pool.maxWaitTime(2, TimeUnit.SECONDS))
			.applyToSocketSettings((socket) -> socket.readTimeout(30, TimeUnit.SECONDS));
	}

	@Bean
	CommonErrorHandler outageHandler(KafkaToMongoProperties properties, ListenerHealth health) {
		ExponentialBackOff backOff = new ExponentialBackOff(ListenerHealth.FIRST_BACK_OFF.toMillis(), 2);
		backOff.setMaxInterval(properties.maxBackOff().toMillis());
		return new OutageHandler(backOff, health);
	}

	/**
	 * Commits after each batch without waiting for it: a batch that comes again is
	 * harmless, and the wait costs 6 ms.
	 */
	@Bean
	ContainerCustomizer<byte[], byte[], ConcurrentMessageListenerContainer<byte[], byte[]>> commitsAreNotAwaited() {
		return (container) -> {
			container.getContainerProperties().setSyncCommits(false);
			// JobMetrics has the same, for less
			container.getContainerProperties().setMicrometerEnabled(false);
		};
	}

	@Bean("kafka")
	KafkaTopics kafkaTopics(KafkaAdmin kafka, KafkaToMongoProperties properties) {
		int partitions = properties.partitions();
		Short replication = properties.replication();
		return new KafkaTopics(kafka.getConfigurationProperties(),
				List.of(KafkaTopics.topic(properties.topic(), partitions, replication, Map.of()),
						KafkaTopics.topic(properties.deadLetterTopic(), partitions, replication,
								Map.of("retention.ms", "-1", "max.message.bytes", "16777216"))));
	}

	/**
	 * Beyond so many requests in service, of some 65 KB each and not counting questions
	 * after health, the answer is 503.
	 */
	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedHttp(RequestTraces traces) {
		SemaphoreValve requests = new SemaphoreValve() {

			@Override
			public boolean controlConcurrency(Request request, Response response) {
				return !request.getDecodedRequestURI().startsWith("/actuator/");
			}

		};
		requests.setConcurrency(400);
		requests.setBlock(false);
		requests.setHighConcurrencyStatus(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
		return (factory) -> {
			factory.setProtocol(BoundedHttp.class.getName());
			factory.addConnectorCustomizers((connector) -> {
				connector.setProperty("socket.appWriteBufSize", "2048");
				// an id may have them
				connector.setEncodedSolidusHandling("passthrough");
				connector.setEncodedReverseSolidusHandling("passthrough");
			});
			factory.addEngineValves(traces);
			factory.addContextValves(requests);
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
