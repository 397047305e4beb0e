package jobs.resttokafka;

import jobs.chassis.contracts.ContractInForce;
import jobs.chassis.operations.SettingException;
import jobs.contract.resources.CheckBudget;
import jobs.contract.resources.Resource;
import jobs.contract.resources.ResourceSettings;
import jobs.contract.resources.Resources;
import jobs.contract.resources.ResourcesException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Reads the resources: those of the file in {@code jobs.resources}, or jobs alone. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RestToKafkaProperties.class)
class ResourcesConfiguration {

	/**
	 * Throws SettingException where the file, a contract or a setting is not understood,
	 * or the heap is too small for a document.
	 */
	@Bean
	Resources resources(RestToKafkaProperties properties, Environment environment) {
		try {
			Resources resources = Resources.load(environment.getProperty("jobs.resources"),
					new ResourceSettings(environment::getProperty, (key) -> ofJobs(key, properties), "256KB"));
			int parts = resources.areSeveral() ? 8 : 4;
			resources.all().forEach((resource) -> requireRoom(resource, parts, properties));
			CheckBudget.require(resources, Runtime.getRuntime().maxMemory(), 0);
			return resources;
		}
		catch (ResourcesException ex) {
			throw new SettingException(String.valueOf(ex.getMessage()));
		}
	}

	/** What {@code GET /contracts} shows. */
	@Bean
	ContractInForce.All contracts(Resources resources) {
		return new ContractInForce.All(
				resources.all().stream().map((resource) -> resource.describe(ContractInForce::new)).toList());
	}

	private static void requireRoom(Resource resource, int parts, RestToKafkaProperties properties) {
		if (resource.maxSize() > properties.maxInFlight().toBytes() * 3 / parts) {
			String most = "must be at most three %s of rest-to-kafka.max-in-flight"
				.formatted((parts == 4) ? "quarters" : "eighths, beside other resources,");
			throw new SettingException((resource.isJobs() ? "rest-to-kafka.max-job-size "
					: "The max-size of '%s' ".formatted(resource.name())) + most);
		}
	}

	/** The settings of the jobs, by their names of version 1.0. */
	private static @Nullable String ofJobs(String key, RestToKafkaProperties properties) {
		return switch (key) {
			case "topic" -> properties.topic();
			case "max-size" -> (properties.maxJobSize() != null) ? properties.maxJobSize().toBytes() + "B" : null;
			default -> null;
		};
	}

}
