package jobs.chassis.operations;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import jobs.chassis.contracts.ContractInForce;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A typing error in a variable is told, and what is for others is not.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnknownSettingsTests {

	@ParameterizedTest
	@CsvSource({ "SOME_SERVICE_TOPIK, SOME_SERVICE_TOPIC", "SOME_SERVICE_MAX_JOBSIZES, SOME_SERVICE_MAX_JOB_SIZE",
			"JOBS_SECURITY_ENABLE, JOBS_SECURITY_ENABLED", "JOBS_SECURITY_KEY_FILE, JOBS_SECURITY_KEYS_FILE",
			"SOME_SERVICE_PORTS, SOME_SERVICE_HOSTS", "JOBS_RESOURCE, JOBS_RESOURCES",
			"JOBS_RESOURCES_ORDERS_TOPIK, JOBS_RESOURCES_ORDERS_TOPIC",
			"JOBS_RESOURCES_ODERS_TOPIC, JOBS_RESOURCES_ORDERS_TOPIC",
			"JOBS_RESOURCES_MY_ORDERS_TOPIC, JOBS_RESOURCES_MYORDERS_TOPIC",
			"JOBS_RESOURCES_ORDERS_CONTRACT, JOBS_RESOURCES_ORDERS_TOPIC" })
	void namesTheNearestThatIsKnown(String wrong, String right, CapturedOutput output) {
		start(wrong);

		assertThat(output).contains("%s is no setting of this service; did you mean %s?".formatted(wrong, right));
	}

	@ParameterizedTest
	@ValueSource(strings = { "SOME_SERVICE_TOPIC", "SOME_SERVICE_MAXJOBSIZE", "SOME_SERVICE_HOSTS_0",
			"SOME_SERVICE_HOSTS_1_", "JOBS_SECURITY_ENABLED", "SOME_SERVICE_PORT", "SOME_SERVICE_PORT_9090_TCP_ADDR",
			"SOME_SERVICE_SERVICE_HOST", "JOBS_KAFKA_BOOTSTRAP_SERVICE_PORT_TCP", "JOBS_MONGO_PORT_27017_TCP",
			"JOBS_RESOURCES", "JOBS_RESOURCES_ORDERS_TOPIC", "JOBS_RESOURCES_ORDERS_DEADLETTERTOPIC",
			"JOBS_RESOURCES_MYORDERS_MAXSIZE", "JOBS_RESOURCES_MYORDERS_FINDBY", "SOME_SERVICE_PASSWORD",
			"SOME_OTHER_TOPIK", "PATH" })
	void saysNothingOfWhatIsKnownOrForOthers(String name, CapturedOutput output) {
		start(name);

		assertThat(output).doesNotContain("is no setting");
	}

	@Test
	void saysNothingWhereNothingIsSet(CapturedOutput output) {
		start("HOME");

		assertThat(output).doesNotContain("is no setting");
	}

	private static void start(String variable) {
		StandardEnvironment environment = new StandardEnvironment() {

			@Override
			public Map<String, Object> getSystemEnvironment() {
				return Map.of(variable, "1");
			}

		};
		new ApplicationContextRunner().withInitializer((context) -> context.setEnvironment(environment))
			.withUserConfiguration(Service.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableConfigurationProperties(Settings.class)
	static class Service {

		@Bean
		UnknownSettings unknownSettings() {
			return new UnknownSettings();
		}

		@Bean
		ContractInForce.All contracts() {
			return new ContractInForce.All(Stream.of("orders", "my-orders")
				.map((name) -> new ContractInForce(name, "0", 1, "/" + name, name, List.of(), "{}", List.of()))
				.toList());
		}

	}

	@ConfigurationProperties("some-service")
	record Settings(String topic, int maxJobSize, String[] hosts) {

	}

}
