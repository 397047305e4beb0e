package jobs.chassis.access;

import java.util.Map;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** However the switch is spelled, all read it alike. */
class SecuritySwitchTests {

	@ParameterizedTest
	@CsvSource({ "true,true", "TRUE,true", "yes,true", "on,true", "1,true", "'true ',true", "'true\r',true",
			"false,false", "off,false", "0,false" })
	void readsTheSwitch(String text, String isOn) {
		StandardEnvironment environment = process(text);

		assertThat(environment.getProperty("jobs.security.enabled")).isEqualTo(isOn);
		assertThat(environment.getProperty("management.endpoint.health.show-details"))
			.isEqualTo(isOn.equals("true") ? "when-authorized" : null);
	}

	/** An empty one is a variable that was forgotten. */
	@ParameterizedTest
	@ValueSource(strings = { "ture", "", " " })
	void startsWithNothingThatIsNeither(String text) {
		assertThatException().isThrownBy(() -> process(text));
	}

	private static StandardEnvironment process(String text) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("test", Map.of("jobs.security.enabled", text)));
		new AccessAutoConfiguration.SecuritySwitch().postProcessEnvironment(environment, new SpringApplication());
		return environment;
	}

}
