package jobs.chassis.access;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

import jobs.testkit.Sha256;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** A service with security on, whose answers pages of one other origin may read. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
		"spring.application.name=test", "spring.config.import=classpath:chassis.yml",
		"spring.kafka.bootstrap-servers=127.0.0.1:1", "jobs.security.enabled=true",
		"jobs.security.origins=https://jobs.example,https://b.example",
		"spring.autoconfigure.exclude=org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CorsTests {

	private static final String KEY = "jobs_reader";

	@TempDir
	private static Path folder;

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void settings(DynamicPropertyRegistry settings) throws IOException {
		Path file = Files.writeString(folder.resolve("keys"),
				"{\"name\":\"reader\",\"sha256\":\"%s\",\"roles\":[\"operations:read\"]}\n".formatted(Sha256.of(KEY)));
		settings.add("jobs.security.keys-file", file::toString);
	}

	@Test
	void givesLeaveToAPageOfANamedOriginBeforeItHasAKey() throws Exception {
		String answer = send("OPTIONS /actuator/info", "https://jobs.example",
				"Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n");

		assertThat(answer).startsWith("HTTP/1.1 200")
			.contains("Access-Control-Allow-Origin: https://jobs.example\n")
			.contains("Access-Control-Allow-Headers: authorization\n")
			.doesNotContain("Access-Control-Allow-Credentials");
	}

	@Test
	void letsAPageOfANamedOriginReadAnswersWithItsKey() throws Exception {
		assertThat(send("GET /actuator/info", "https://b.example", "Authorization: Bearer " + KEY + "\r\n"))
			.startsWith("HTTP/1.1 200")
			.contains("Access-Control-Allow-Origin: https://b.example\n");
		assertThat(send("GET /actuator/info", "https://b.example", "")).startsWith("HTTP/1.1 401")
			.contains("Access-Control-Allow-Origin: https://b.example\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "https://other.example", "http://jobs.example", "https://jobs.example:444",
			"https://jobs.example.evil.example", "null" })
	void givesNoLeaveToOtherOrigins(String origin) throws Exception {
		assertThat(send("OPTIONS /actuator/info", origin, "Access-Control-Request-Method: GET\r\n"))
			.startsWith("HTTP/1.1 403")
			.contains("application/problem+json")
			.doesNotContain("Access-Control-Allow");
		assertThat(send("GET /actuator/info", origin, "Authorization: Bearer " + KEY + "\r\n"))
			.startsWith("HTTP/1.1 200")
			.doesNotContain("Access-Control-Allow");
	}

	/** Versions and events need headers that a browser asks leave for. */
	@Test
	void givesLeaveToTheHeadersOfVersionsAndEvents() throws Exception {
		assertThat(send("OPTIONS /actuator/info", "https://jobs.example",
				"Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: if-match,if-none-match,last-event-id\r\n"))
			.startsWith("HTTP/1.1 200");
		assertThat(send("GET /actuator/info", "https://jobs.example", "Authorization: Bearer " + KEY + "\r\n"))
			.contains("ETag")
			.contains("Superseded-By");
	}

	@Test
	void givesNoLeaveToOtherMethods() throws Exception {
		assertThat(send("OPTIONS /actuator/info", "https://jobs.example", "Access-Control-Request-Method: PUT\r\n"))
			.startsWith("HTTP/1.1 403");
	}

	@ParameterizedTest
	@ValueSource(strings = { "*", "jobs.example", "https://jobs.example/", "https://*.example", "null" })
	void endsTheStartWhereAnOriginCantBeOne(String origin) {
		assertThatIllegalStateException().isThrownBy(() -> new AccessAutoConfiguration.Cors().cors(Set.of(origin)))
			.withMessageContaining("'" + origin + "'");
	}

	/** By a socket, since Java's client does not send these headers. */
	private String send(String request, String origin, String headers) throws IOException {
		try (Socket client = new Socket("localhost", this.port)) {
			client.setSoTimeout(20_000);
			client.getOutputStream()
				.write("%s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nOrigin: %s\r\n%s\r\n"
					.formatted(request, origin, headers)
					.getBytes(StandardCharsets.US_ASCII));
			BufferedReader in = new BufferedReader(
					new InputStreamReader(client.getInputStream(), StandardCharsets.US_ASCII));
			return String.join("\n", in.lines().toList()) + "\n";
		}
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Service {

		@Bean
		AccessRules accessRules() {
			return new AccessRules(Set.of("jobs:read", "jobs:write"));
		}

	}

}
