package jobs.kafkatomongo.console;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import jobs.kafkatomongo.KafkaToMongoApplication;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringApplication;
import org.springframework.core.NestedExceptionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** A login that nobody could use ends the start, and says what is missing. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LoginStartTests {

	@TempDir
	private Path folder;

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			spring.security.oauth2.resourceserver.jwt.issuer-uri= | issuer-uri beside it
			jobs.security.login.token-uri=                        | set authorization-uri and token-uri
			jobs.security.login.scopes=openid,jobs:read           | may not have openid
			""")
	void doesNotStart(String setting, String sentence) throws IOException {
		List<String> settings = new ArrayList<>(List.of("--server.port=0", "--server.address=127.0.0.1",
				"--spring.kafka.bootstrap-servers=127.0.0.1:1", "--spring.mongodb.uri=mongodb://127.0.0.1:1/db",
				"--jobs.security.enabled=true", "--jobs.security.login.client-id=console",
				"--jobs.security.login.authorization-uri=http://127.0.0.1:1/authorize",
				"--jobs.security.login.token-uri=http://127.0.0.1:1/token",
				"--spring.security.oauth2.resourceserver.jwt.issuer-uri=http://127.0.0.1:1",
				"--spring.security.oauth2.resourceserver.jwt.audiences=jobs"));
		settings.removeIf((one) -> one.startsWith("--" + setting.substring(0, setting.indexOf('=') + 1)));
		settings.add("--" + setting);
		if (setting.startsWith("spring.security")) {
			// with a file of keys, security has whom to ask
			settings.add("--jobs.security.keys-file=" + Files.createFile(this.folder.resolve("keys")));
		}

		Throwable failure = catchThrowable(
				() -> SpringApplication.run(KafkaToMongoApplication.class, settings.toArray(String[]::new)).close());

		assertThat(NestedExceptionUtils.getMostSpecificCause(failure)).hasMessageContaining(sentence);
	}

}
