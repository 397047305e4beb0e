package jobs.chassis.access;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.testkit.Issuer;
import jobs.testkit.Sha256;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A service that has nothing but the chassis and a path for readers, with security on.
 */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT, properties = {
		"spring.application.name=test", "spring.config.import=classpath:chassis.yml",
		"spring.kafka.bootstrap-servers=127.0.0.1:1", "jobs.security.enabled=true",
		"spring.autoconfigure.exclude=org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SecurityTests {

	private static final Issuer ISSUER = new Issuer();

	private static final String READER = "jobs_reader";

	/**
	 * The file with {@code jobs_reader}, {@code jobs_operator} and {@code jobs_writer}.
	 */
	private static final String KEYS = """
			{"name":"reader","sha256":"%s","roles":["jobs:read"]}
			{"name":"operator","sha256":"%s","roles":["operations:read"]}
			{"name":"writer","sha256":"%s","roles":["jobs:write"]}
			""".formatted(sha256(READER), sha256("jobs_operator"), sha256("jobs_writer"));

	@TempDir
	private static Path folder;

	private final HttpClient client = HttpClient.newHttpClient();

	@LocalServerPort
	private int port;

	@DynamicPropertySource
	static void settings(DynamicPropertyRegistry settings) throws IOException {
		Path file = Files.writeString(folder.resolve("keys"), KEYS);
		settings.add("jobs.security.keys-file", file::toString);
		settings.add("spring.security.oauth2.resourceserver.jwt.issuer-uri", ISSUER::uri);
		settings.add("spring.security.oauth2.resourceserver.jwt.audiences", () -> Issuer.AUDIENCE);
	}

	@BeforeEach
	void awaitKeysOfTheIssuer() {
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> get("/things/1", token()).statusCode() == 200);
	}

	@Test
	void answersWhoBringsNothingWith401AndAProblem() throws Exception {
		HttpResponse<String> answer = get("/things/1", null);

		assertThat(answer.statusCode()).isEqualTo(401);
		assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer");
		assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(answer.body()).contains("API key");
	}

	/** A session for each of them would fill the memory. */
	@Test
	void keepsNothingOfARequestThatIsRefused() throws Exception {
		HttpResponse<String> answer = get("/things/1", null);
		HttpResponse<String> form = send("/things/1",
				(request) -> request.header("Content-Type", "application/x-www-form-urlencoded")
					.POST(BodyPublishers.ofString("a=b&".repeat(1000))));

		assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
		assertThat(form.statusCode()).isEqualTo(401);
		assertThat(get("/things/1?a=%25zz", null).statusCode()).isEqualTo(401);
	}

	/** Tomcat decodes a path before it follows the dots in it. */
	@ParameterizedTest
	@ValueSource(strings = { "/docs/%2e%2e/plain", "/docs/..;/plain", "/docs/..;x=1/plain", "/docs/.%2e/plain",
			"/actuator/health/%2e%2e/%2e%2e/plain", "/docs/%2e%2e;a/plain", "/%2e/plain", "/docs/%252e%252e/plain",
			"//plain", "/plain;a", "/%70lain", "/docs//%2e%2e/plain" })
	void isNotLedToAnotherServletByDots(String path) throws Exception {
		assertThat(get(path, null).statusCode()).isNotEqualTo(200);
		assertThat(get(path, "jobs_writer").statusCode()).isNotEqualTo(200);
		assertThat(get("/plain", READER).statusCode()).isEqualTo(200);
	}

	@Test
	void asksWhoMayReadOpenPathsForNothing() throws Exception {
		assertThat(get("/openapi.yaml", "jobs_unknown").statusCode()).isEqualTo(200);
		assertThat(get("/actuator/health/liveness", "jobs_unknown").statusCode()).isEqualTo(200);
		assertThat(send("/actuator/health/liveness", (request) -> request.header("Authorization", "Basic eDp5"))
			.statusCode()).isEqualTo(200);
	}

	@Test
	void answersWhoLacksTheRoleWith403AndTheRole() throws Exception {
		HttpResponse<String> answer = get("/things/1", "jobs_writer");

		assertThat(answer.statusCode()).isEqualTo(403);
		assertThat(answer.headers().firstValue("WWW-Authenticate").orElse("")).contains("insufficient_scope")
			.contains("jobs:read");
		assertThat(answer.body()).contains("jobs:read");
	}

	/** Ids may have any character. */
	@ParameterizedTest
	@ValueSource(strings = { "1", "a%2Fb", "a%25b", "a%252Fb", "a;b", "a%3Bb", "a%2E%2E", "%2e%2e%2Fb", "%E2%82%AC",
			"a%5Cb", "a%0Ab" })
	void letsAKeyReadWhateverTheIdIs(String id) throws Exception {
		int secured = get("/things/" + id, READER).statusCode();

		assertThat(secured).isEqualTo(200);
		assertThat(get("/things/" + id, null).statusCode()).isEqualTo(401);
	}

	@ParameterizedTest
	@CsvSource({ "/actuator/health,,200", "/actuator/health/liveness,,200", "/actuator/prometheus,,401",
			"/actuator/prometheus,jobs_reader,403", "/actuator/prometheus,jobs_operator,200", "/actuator,,401",
			"/unknown,,401", "/unknown,jobs_reader,403", "/things/../unknown,jobs_reader,403",
			"/things,jobs_reader,403", "/actuator/health;%25zz,,200", "/actuator/health;x/../prometheus,,401",
			"//things/1,,401" })
	void asksForARoleOnEachPath(String path, String key, int status) throws Exception {
		assertThat(get(path, key).statusCode()).isEqualTo(status);
	}

	@Test
	void showsDetailsOfTheHealthToOperatorsAlone() throws Exception {
		assertThat(get("/actuator/health", null).body()).doesNotContain("components").contains("status");
		assertThat(get("/actuator/health", READER).body()).doesNotContain("details");
		assertThat(get("/actuator/health", "jobs_operator").body()).contains("components");
	}

	static Stream<Arguments> badTokens() throws Exception {
		Instant now = Instant.now();
		JWTClaimsSet claims = ISSUER.claims("jobs:read", (none) -> {
		});
		SignedJWT confused = new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("first").build(), claims);
		confused.sign(new MACSigner(ISSUER.key().toRSAPublicKey().getEncoded()));
		SignedJWT path = new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("../../../../dev/null").build(),
				claims);
		path.sign(new RSASSASigner(Issuer.newKey("path")));
		SignedJWT foreign = new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("first").build(), claims);
		foreign.sign(new RSASSASigner(Issuer.newKey("first")));
		RSAKey itsKey = Issuer.newKey("own");
		SignedJWT own = new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).jwk(itsKey.toPublicJWK()).build(),
				claims);
		own.sign(new RSASSASigner(itsKey));
		SignedJWT type = new SignedJWT(
				new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("first").type(new JOSEObjectType("logout+jwt")).build(),
				claims);
		type.sign(new RSASSASigner(ISSUER.key()));
		String good = token();
		return Stream.of(Arguments.of("expired", token((it) -> it.expirationTime(at(now, -300)))),
				Arguments.of("not yet valid", token((it) -> it.notBeforeTime(at(now, 300)))),
				Arguments.of("without an end", token((it) -> it.expirationTime(null))),
				Arguments.of("of another issuer", token((it) -> it.issuer("http://127.0.0.1:1"))),
				Arguments.of("for another audience", token((it) -> it.audience("others"))),
				Arguments.of("for nobody", token((it) -> it.audience((String) null))),
				Arguments.of("without a name", token((it) -> it.subject(null))),
				Arguments.of("alg none", new PlainJWT(claims).serialize()),
				Arguments.of("HS256 with the public key", confused.serialize()),
				Arguments.of("a kid that is a path", path.serialize()),
				Arguments.of("of another key", foreign.serialize()), Arguments.of("brings its key", own.serialize()),
				Arguments.of("of another type", type.serialize()),
				Arguments.of("without a signature", good.substring(0, good.lastIndexOf('.') + 1)),
				Arguments.of("with other claims",
						good.replaceFirst("[.][^.]+",
								"." + Base64.getUrlEncoder()
									.withoutPadding()
									.encodeToString(claims.toString().replace("ann", "eve").getBytes()))),
				Arguments.of("an unknown key", "jobs_unknown"), Arguments.of("a hash", sha256(READER)),
				Arguments.of("a prefix of a key", "jobs_"), Arguments.of("nonsense", "a.b.c"),
				Arguments.of("a quote", "\"x\""));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("badTokens")
	void refusesATokenThatIs(String what, String token) throws Exception {
		// 503 while its key is looked for, once in a while
		HttpResponse<String> answer = Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> get("/things/1", token), (one) -> one.statusCode() != 503);

		assertThat(answer.statusCode()).isEqualTo(401);
		assertThat(answer.headers().firstValue("WWW-Authenticate")).contains("Bearer error=\"invalid_token\"");
		assertThat(answer.body()).contains("\"status\":401").doesNotContain(token);
	}

	@Test
	void takesATokenFromNothingButOneHeader() throws Exception {
		assertThat(get("/things/1?access_token=" + token(), null).statusCode()).isEqualTo(401);
		assertThat(send("/things/1", (request) -> request.header("Authorization", "Bearer " + READER)
			.header("Authorization", "Bearer " + READER)).statusCode()).isEqualTo(401);
		assertThat(send("/things/1", (request) -> request.header("Authorization", "Basic cmVhZGVyOg==")).statusCode())
			.isEqualTo(401);
		assertThat(send("/things/1",
				(request) -> request.header("X-Forwarded-User", "reader")
					.header("X-Roles", "jobs:read")
					.header("Cookie", "JSESSIONID=1; token=" + READER))
			.statusCode()).isEqualTo(401);
	}

	/** What a key has opened, no cache may keep, and no browser guess. */
	@Test
	void marksAnswersToKeys() throws Exception {
		HttpHeaders headers = get("/things/1", READER).headers();

		assertThat(headers.firstValue("Cache-Control")).hasValue("no-store");
		assertThat(headers.firstValue("X-Content-Type-Options")).hasValue("nosniff");
	}

	@Test
	void refusesATokenOfAMegabyte() throws Exception {
		assertThat(get("/things/1", "x".repeat(1_000_000)).statusCode()).isEqualTo(431);
		assertThat(get("/things/1", READER).statusCode()).isEqualTo(200);
	}

	@Test
	void forgetsAKeyThatIsRevoked() throws Exception {
		Path file = folder.resolve("keys");
		Files.writeString(file, KEYS.lines().skip(1).reduce("", (all, line) -> all + line + "\n"));

		Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> get("/things/1", READER).statusCode() == 401);

		Files.writeString(file, KEYS);
		Awaitility.await().atMost(Duration.ofSeconds(10)).until(() -> get("/things/1", READER).statusCode() == 200);
	}

	private HttpResponse<String> get(String path, String token) throws Exception {
		return send(path, (request) -> {
			if (token != null) {
				request.header("Authorization", "Bearer " + token);
			}
		});
	}

	private HttpResponse<String> send(String path, Consumer<HttpRequest.Builder> change) throws Exception {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(this.port, path)));
		change.accept(request);
		return this.client.send(request.build(), BodyHandlers.ofString());
	}

	private static String token() {
		return token((claims) -> {
		});
	}

	private static String token(Consumer<JWTClaimsSet.Builder> change) {
		return ISSUER.token("jobs:read", change);
	}

	private static Date at(Instant now, int seconds) {
		return Date.from(now.plusSeconds(seconds));
	}

	private static String sha256(String text) {
		return Sha256.of(text);
	}

	/** What a reader may see. */
	@SpringBootConfiguration
	@EnableAutoConfiguration
	@RestController
	static class Service {

		@Bean
		AccessRules accessRules() {
			return new AccessRules(Set.of("jobs:read", "jobs:write"), AccessRule.of("/things/{id}", "jobs:read"),
					AccessRule.of("/plain", "jobs:read"));
		}

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> anyId() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> {
				connector.setEncodedSolidusHandling("passthrough");
				connector.setEncodedReverseSolidusHandling("passthrough");
			});
		}

		/** Tomcat finds a servlet by another path than the request has. */
		@Bean
		ServletRegistrationBean<HttpServlet> plain() {
			return new ServletRegistrationBean<>(new HttpServlet() {

				@Override
				protected void doGet(HttpServletRequest request, HttpServletResponse response) {
					response.setStatus(200);
				}

			}, "/plain");
		}

		@RequestMapping("/things/{id}")
		String thing(@PathVariable String id) {
			return id;
		}

	}

}
