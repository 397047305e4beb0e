package jobs.chassis.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** A setting that is wrong ends the start: it must not let in more than was meant. */
class IdentityConfigurationTests {

	@TempDir
	private Path folder;

	@Test
	void endsTheStartWhereNothingSaysWhoMay() {
		new ApplicationContextRunner().withUserConfiguration(IdentityConfiguration.class)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("nothing says who may"));
	}

	/** A variable that was forgotten would lift the limit of all. */
	@ParameterizedTest
	@ValueSource(strings = { "jobs.security.jobs-per-second", "jobs.security.bytes-per-second" })
	void endsTheStartWhereALimitIsEmpty(String setting) throws IOException {
		Path keys = Files.createFile(this.folder.resolve("keys"));

		new ApplicationContextRunner().withUserConfiguration(IdentityConfiguration.class)
			.withPropertyValues("jobs.security.keys-file=" + keys, setting + "=")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(setting));
	}

}
