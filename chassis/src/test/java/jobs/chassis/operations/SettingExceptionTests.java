package jobs.chassis.operations;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** Whoever starts a service reads what to set, and no trace. */
@ExtendWith(OutputCaptureExtension.class)
class SettingExceptionTests {

	@Test
	void isASentenceWithoutATrace(CapturedOutput output) {
		SpringApplication service = new SpringApplicationBuilder(Service.class).web(WebApplicationType.NONE).build();

		assertThatException().isThrownBy(service::run);

		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains("jobs.number must be even")
			.contains("docs/configuration.md lists all settings")
			.doesNotContain("\tat ");
	}

	@Test
	void isToldOfASwitchBeforeAnythingStarts(CapturedOutput output) {
		SpringApplication service = new SpringApplicationBuilder(Service.class).web(WebApplicationType.NONE)
			.properties("jobs.security.enabled=")
			.build();

		assertThatException().isThrownBy(service::run);

		assertThat(output).contains("jobs.security.enabled is set and empty: set it to true or false")
			.doesNotContain("\tat ");
	}

	@Configuration(proxyBeanMethods = false)
	static class Service {

		@Bean
		Object number() {
			throw new SettingException("jobs.number must be even");
		}

	}

}
