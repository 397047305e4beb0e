package jobs.chassis.http;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Bounds and roles go by paths, so settings may not change how these begin. */
class PathsTests {

	@ParameterizedTest
	@ValueSource(strings = { "server.servlet.context-path", "spring.mvc.servlet.path",
			"management.endpoints.web.base-path", "management.server.base-path" })
	void endsTheStartWherePathsBeginOtherwise(String setting) {
		assertThatIllegalStateException()
			.isThrownBy(() -> new HttpAutoConfiguration(new MockEnvironment().withProperty(setting, "/x")))
			.withMessageContaining(setting);
	}

	@Test
	void startsWithWhatTheyAreAnyway() {
		assertThatCode(() -> new HttpAutoConfiguration(
				new MockEnvironment().withProperty("management.endpoints.web.base-path", "/actuator")))
			.doesNotThrowAnyException();
	}

}
