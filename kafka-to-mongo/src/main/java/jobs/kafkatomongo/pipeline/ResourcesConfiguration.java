package jobs.kafkatomongo.pipeline;

import java.util.List;
import java.util.Map;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import jobs.chassis.contracts.ContractInForce;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.kafka.RequiredTopics;
import jobs.chassis.kafka.TopicSettings;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.KafkaToMongoProperties;
import jobs.kafkatomongo.document.LargeRecords;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.kafka.autoconfigure.KafkaProperties;
import org.springframework.boot.webmvc.autoconfigure.WebMvcRegistrations;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerMapping;

/** Makes the pipelines of the resources. */
@Configuration(proxyBeanMethods = false)
class ResourcesConfiguration {

	/** What {@code GET /contracts} shows. */
	@Bean
	ContractInForce.All contracts(Resources resources) {
		return new ContractInForce.All(
				resources.all().stream().map((resource) -> resource.describe(ContractInForce::new)).toList());
	}

	/** Its clients are there as long as the pipelines are. */
	@Bean
	Pipelines pipelines(ApplicationContext service, Resources resources, MeterRegistry meters,
			KafkaProperties properties, LifecycleProperties lifecycle, MongoClient mongo,
			ProducerFactory<?, ?> producers, LazyAdmin admin) {
		return new Pipelines(service, resources, meters, properties.getListener().isAutoStartup(),
				lifecycle.getTimeoutPerShutdownPhase());
	}

	/** The memory for large records that all pipelines share. */
	@Bean
	LargeRecords largeRecords() {
		return new LargeRecords(Runtime.getRuntime().maxMemory());
	}

	@Bean("listener")
	ListenersHealth listenersHealth(ObjectProvider<Pipelines> pipelines) {
		return new ListenersHealth(pipelines);
	}

	@Bean
	static WebMvcRegistrations resourceMappings() {
		return new WebMvcRegistrations() {

			@Override
			public RequestMappingHandlerMapping getRequestMappingHandlerMapping() {
				return new ResourceHandlerMapping();
			}

		};
	}

	/**
	 * The topic of each resource, and that of its dead letters, which are kept for ever
	 * and may have up to 16 MiB.
	 */
	@Bean
	RequiredTopics topics(Resources resources, KafkaToMongoProperties properties) {
		return new RequiredTopics(resources.all()
			.stream()
			.map((resource) -> List.of(
					new TopicSettings(resource.topic(), properties.partitions(), properties.replication(), 0,
							TopicSettings.records(properties.retention(), resource.maxSize())),
					new TopicSettings(resource.deadLetterTopic(), properties.partitions(), properties.replication(),
							resource.maxSize(),
							Map.of("cleanup.policy", "delete", "retention.ms", "-1", "retention.bytes", "-1",
									"max.message.bytes", "16777216"))))
			.toList());
	}

}
