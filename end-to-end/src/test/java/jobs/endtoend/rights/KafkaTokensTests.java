package jobs.endtoend.rights;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import com.sun.net.httpserver.HttpExchange;
import jobs.endtoend.pair.Pair;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.localstack.Readiness;
import jobs.testkit.Backends;
import jobs.testkit.Issuer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** The pair at a broker that takes tokens of an issuer alone (OAUTHBEARER). */
@Tag("night")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaTokensTests {

	private static final String PACKAGE = "org.apache.kafka.common.security.oauthbearer.";

	private static final String LOGIN = PACKAGE + "OAuthBearerLoginModule required;";

	private static final String SECRET = "a-secret";

	private static final Duration LIMIT = Duration.ofSeconds(60);

	/** The tokens end so soon that services need several. */
	private static final Duration VALID = Duration.ofSeconds(15);

	private final HttpClient client = HttpClient.newHttpClient();

	private final Readiness readiness = new Readiness();

	private final Issuer issuer = new Issuer();

	private final AtomicInteger given = new AtomicInteger();

	private final AtomicInteger refused = new AtomicInteger();

	private final String tokens = this.issuer.uri() + "/token";

	private final String allowed = "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=%s,%s/keys".formatted(this.tokens,
			this.issuer.uri());

	private final int brokerPort = Ports.free();

	private final int writePort = Ports.free();

	private final int readPort = Ports.free();

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path folder;

	private Child broker;

	private Child restToKafka;

	private Child kafkaToMongo;

	@BeforeEach
	void start() {
		this.issuer.serve("/token", this::give);
		int controller = Ports.free();
		String settings = """
				listeners=TOKENS://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
				advertised.listeners=TOKENS://127.0.0.1:%1$d
				listener.security.protocol.map=TOKENS:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT
				inter.broker.listener.name=TOKENS
				controller.quorum.voters=1@127.0.0.1:%2$d
				sasl.enabled.mechanisms=OAUTHBEARER
				sasl.mechanism.inter.broker.protocol=OAUTHBEARER
				sasl.oauthbearer.jwks.endpoint.url=%3$s/keys
				sasl.oauthbearer.expected.issuer=%3$s
				sasl.oauthbearer.expected.audience=%4$s
				sasl.oauthbearer.token.endpoint.url=%5$s
				sasl.oauthbearer.client.credentials.client.id=broker
				sasl.oauthbearer.client.credentials.client.secret=%8$s
				listener.name.tokens.oauthbearer.sasl.server.callback.handler.class=%6$sOAuthBearerValidatorCallbackHandler
				listener.name.tokens.oauthbearer.sasl.login.callback.handler.class=%6$sOAuthBearerLoginCallbackHandler
				listener.name.tokens.oauthbearer.sasl.jaas.config=%7$s
				listener.name.tokens.oauthbearer.connections.max.reauth.ms=10000
				"""
			.formatted(this.brokerPort, controller, this.issuer.uri(), Issuer.AUDIENCE, this.tokens, PACKAGE, LOGIN,
					SECRET);
		this.broker = Programs
			.kafka(this.folder.resolve("kafka"), this.brokerPort, this.folder.resolve("kafka.log"),
					Map.of("JAVA_TOOL_OPTIONS", this.allowed), settings.lines().toArray(String[]::new))
			.start();
		this.broker.awaitReady(() -> Ports.isListening(this.brokerPort), LIMIT);
	}

	@AfterEach
	void stop() {
		for (Child one : new Child[] { this.restToKafka, this.kafkaToMongo, this.broker }) {
			if (one != null) {
				one.kill();
			}
		}
		this.issuer.close();
	}

	@Test
	void storesJobsWithOneTokenAfterTheOther() throws Exception {
		this.restToKafka = service("rest-to-kafka", this.writePort, SECRET).start();
		this.kafkaToMongo = service("kafka-to-mongo", this.readPort, SECRET).start();
		this.restToKafka.awaitReady(() -> this.readiness.isAt(this.writePort), LIMIT);
		this.kafkaToMongo.awaitReady(() -> this.readiness.isAt(this.readPort), LIMIT);
		int before = this.given.get();

		Instant limit = Instant.now().plus(VALID.multipliedBy(6));
		while (this.given.get() < before + 4) {
			assertThat(Instant.now()).isBefore(limit);
			assertThat(stores()).isEqualTo(200);
		}
	}

	@Test
	void refusesJobsOfAServiceWhoseSecretIsWrong() throws Exception {
		this.restToKafka = service("rest-to-kafka", this.writePort, "another").start();
		this.restToKafka.awaitReady(() -> Ports.isListening(this.writePort), LIMIT);

		Awaitility.await()
			.atMost(LIMIT)
			.ignoreExceptionsInstanceOf(IOException.class)
			.until(() -> post().statusCode() == 503);
		assertThat(this.refused).hasPositiveValue();
		assertThat(this.restToKafka.isAlive()).isTrue();
	}

	private Child service(String name, int port, String secret) {
		String token = "SPRING_KAFKA_PROPERTIES_SASL_OAUTHBEARER_";
		return Pair.service(name, name, this.folder,
				Map.ofEntries(Map.entry("SERVER_PORT", Integer.toString(port)),
						Map.entry("SPRING_MONGODB_URI", Backends.get().mongo("tokens")),
						Map.entry("JAVA_TOOL_OPTIONS", this.allowed),
						Map.entry("SPRING_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:" + this.brokerPort),
						Map.entry("SPRING_KAFKA_SECURITY_PROTOCOL", "SASL_PLAINTEXT"),
						Map.entry("SPRING_KAFKA_PROPERTIES_SASL_MECHANISM", "OAUTHBEARER"),
						Map.entry("SPRING_KAFKA_PROPERTIES_SASL_JAAS_CONFIG", LOGIN),
						Map.entry("SPRING_KAFKA_PROPERTIES_SASL_LOGIN_CALLBACK_HANDLER_CLASS",
								PACKAGE + "OAuthBearerLoginCallbackHandler"),
						Map.entry(token + "TOKEN_ENDPOINT_URL", this.tokens),
						Map.entry(token + "CLIENT_CREDENTIALS_CLIENT_ID", name),
						Map.entry(token + "CLIENT_CREDENTIALS_CLIENT_SECRET", secret)));
	}

	/** Gives a token to who knows the secret. */
	private void give(HttpExchange exchange) throws IOException {
		String[] client = new String(
				Base64.getDecoder()
					.decode(exchange.getRequestHeaders().getFirst("Authorization").replace("Basic ", "")),
				StandardCharsets.UTF_8)
			.split(":");
		exchange.getRequestBody().readAllBytes();
		if (!client[1].equals(SECRET)) {
			this.refused.incrementAndGet();
			exchange.sendResponseHeaders(401, -1);
			exchange.close();
			return;
		}
		this.given.incrementAndGet();
		String token = this.issuer.token("kafka",
				(claims) -> claims.subject(client[0]).expirationTime(Date.from(Instant.now().plus(VALID))));
		Issuer.answer(exchange, "{\"access_token\":\"%s\",\"token_type\":\"Bearer\",\"expires_in\":%d}".formatted(token,
				VALID.toSeconds()));
	}

	private HttpResponse<String> post() throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/jobs".formatted(this.writePort)))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString("{\"title\":\"Engineer\"}"))
			.build(), BodyHandlers.ofString());
	}

	/** The status of a job that is posted now, once it is stored. */
	private int stores() throws IOException, InterruptedException {
		HttpResponse<String> accepted = post();
		assertThat(accepted.statusCode()).as(accepted.body()).isEqualTo(202);
		String path = URI.create(accepted.headers().firstValue("Location").orElseThrow()).getPath();
		return this.client
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(this.readPort, path)))
				.header("Prefer", "wait=20")
				.build(), BodyHandlers.ofString())
			.statusCode();
	}

}
