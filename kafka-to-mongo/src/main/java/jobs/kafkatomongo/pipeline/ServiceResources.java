package jobs.kafkatomongo.pipeline;

import jobs.chassis.operations.SettingException;
import jobs.contract.resources.CheckBudget;
import jobs.contract.resources.ResourceSettings;
import jobs.contract.resources.Resources;
import jobs.contract.resources.ResourcesException;
import jobs.kafkatomongo.KafkaToMongoProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Reads the resources of this service: those of the file in {@code jobs.resources}, or
 * jobs alone.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(KafkaToMongoProperties.class)
public class ServiceResources {

	/**
	 * Throws SettingException where the file, a contract or a setting is not understood,
	 * or the heap is too small for a document.
	 */
	@Bean
	Resources resources(KafkaToMongoProperties properties, Environment environment) {
		try {
			Resources told = Resources.load(environment.getProperty("jobs.resources"),
					new ResourceSettings(environment::getProperty, (key) -> ofJobs(key, properties, environment),
							properties.maxJobSize().toBytes() + "B"));
			// what rest-to-kafka has accepted under another bound still comes
			int least = Math.toIntExact(properties.maxJobSize().toBytes());
			Resources resources = new Resources(told.all().stream().map((one) -> one.withAtLeast(least)).toList(),
					told.isFile());
			CheckBudget.require(resources, Runtime.getRuntime().maxMemory(), CheckBudget.LEAST_CHECKED_BYTES);
			return resources;
		}
		catch (ResourcesException ex) {
			throw new SettingException(String.valueOf(ex.getMessage()));
		}
	}

	/** The names of the jobs, by their settings of version 1.0. */
	private static @Nullable String ofJobs(String key, KafkaToMongoProperties properties, Environment environment) {
		return switch (key) {
			case "topic" -> properties.topic();
			case "dead-letter-topic" -> properties.deadLetterTopic();
			case "collection" -> properties.collection();
			case "dead-letter-collection" -> properties.deadLetterCollection();
			case "group" -> environment.getProperty("spring.kafka.consumer.group-id");
			default -> null;
		};
	}

}
