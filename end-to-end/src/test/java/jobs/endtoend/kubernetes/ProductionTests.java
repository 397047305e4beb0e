package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.rights.LockedKafka;
import jobs.endtoend.rights.LockedMongo;
import jobs.endtoend.rights.MongoLock;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Readiness;
import jobs.testkit.Authority;
import jobs.testkit.Sha256;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With the variables and secrets of {@code overlays/production} both services connect to
 * a Kafka and a MongoDB that ask who they are, and a client with a key gets in by TLS.
 * They are containers where {@code -Dimage.SERVICE} names the image of each.
 */
@Tag("night")
@Tag("mongod")
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProductionTests {

	private static final Duration START_LIMIT = Duration.ofSeconds(120);

	private static final String KEY = "jobs_production";

	private final Readiness readiness = new Readiness(true);

	private final Authority authority = new Authority("production");

	private final Map<String, Integer> ports = Map.of("rest-to-kafka", Ports.free(), "kafka-to-mongo", Ports.free());

	@Test
	void storesAJobOfWhoHasAKey() throws Exception {
		Assumptions.assumeTrue(MongoLock.isPossible(), "there is no mongod, or no mongosh");
		Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "production")
			.toAbsolutePath();
		Path tls = Files.createDirectories(folder.resolve("tls"));
		this.authority.issue(tls, "server");
		this.authority.trust(tls.resolve("trust.crt"));
		try (LockedKafka kafka = new LockedKafka(folder); LockedMongo mongo = new LockedMongo(folder)) {
			kafka.giveRights("--create-topics");
			Path secrets = secrets(folder, tls, kafka, mongo);
			try (Child restToKafka = service("rest-to-kafka", secrets, folder, kafka);
					Child kafkaToMongo = service("kafka-to-mongo", secrets, folder, kafka)) {
				for (Child service : List.of(restToKafka.start(), kafkaToMongo.start())) {
					service.awaitReady(() -> this.readiness.isAt(this.ports.get(service.name())), START_LIMIT);
				}
				Access access = new Access("client", () -> KEY, Authority.trusting(this.authority), null);
				Access stranger = new Access("stranger", () -> "jobs_unknown", access.tls(), null);

				assertThat(send(stranger, "rest-to-kafka", "/jobs", "{\"title\":\"Mine\"}").statusCode())
					.isEqualTo(401);
				HttpResponse<String> accepted = send(access, "rest-to-kafka", "/jobs", "{\"title\":\"Mine\"}");
				assertThat(accepted.statusCode()).as("%s", accepted.body()).isEqualTo(202);
				String location = accepted.headers().firstValue("Location").orElseThrow();
				assertThat(location).startsWith("https://jobs.example/jobs/");
				HttpResponse<String> stored = send(access, "kafka-to-mongo",
						location.substring("https://jobs.example".length()), null);
				assertThat(stored.body()).contains("\"title\": \"Mine\"");
			}
		}
	}

	/** What docs/kubernetes.md makes by {@code kubectl create secret}. */
	private Path secrets(Path folder, Path tls, LockedKafka kafka, LockedMongo mongo) throws IOException {
		Path secrets = folder.resolve("secrets");
		for (String service : this.ports.keySet()) {
			Path secret = Files.createDirectories(secrets.resolve(service + "-tls"));
			Files.copy(tls.resolve("server.crt"), secret.resolve("tls.crt"));
			Files.copy(tls.resolve("server.key"), secret.resolve("tls.key"));
			write(secrets, service, "sasl.jaas.config",
					kafka.settings(service).get("SPRING_KAFKA_PROPERTIES_SASL_JAAS_CONFIG"));
		}
		write(secrets, "kafka-authority", "ca.crt", Files.readString(tls.resolve("trust.crt")));
		write(secrets, "mongodb-authority", "ca.crt", Files.readString(tls.resolve("trust.crt")));
		write(secrets, "mongodb", "uri", mongo.settings().get("SPRING_MONGODB_URI"));
		write(secrets, "keys", "keys.ndjson", """
				{"name":"client","sha256":"%s","roles":["jobs:write","jobs:read"]}
				""".formatted(Sha256.of(KEY)));
		return secrets;
	}

	private static void write(Path secrets, String secret, String key, String value) throws IOException {
		Files.writeString(Files.createDirectories(secrets.resolve(secret)).resolve(key), value);
	}

	/** At the address of this broker, which is alone. */
	private Child service(String name, Path secrets, Path folder, LockedKafka kafka) throws IOException {
		Map<String, String> environment = new HashMap<>(Production.environment(name, secrets));
		environment.put("SPRING_KAFKA_BOOTSTRAP_SERVERS", kafka.settings(name).get("SPRING_KAFKA_BOOTSTRAP_SERVERS"));
		environment.replaceAll((variable, value) -> variable.endsWith("_REPLICATION") ? "1" : value);
		environment.put("SERVER_PORT", Integer.toString(this.ports.get(name)));
		environment.put("SERVER_ADDRESS", "127.0.0.1");
		String image = System.getProperty("image." + name);
		return (image != null) ? container(name, image, secrets, folder, environment)
				: Pair.service(name, name, folder, environment);
	}

	/** On the network of this machine, where Kafka and MongoDB are. */
	private static Child container(String name, String image, Path secrets, Path folder,
			Map<String, String> environment) throws IOException {
		List<String> command = new ArrayList<>(
				List.of("docker", "run", "--rm", "--network", "host", "--volume", "%1$s:%1$s:ro".formatted(secrets)));
		command.addAll(Manifest.of(name).limits().options());
		environment.forEach((variable, value) -> command.addAll(List.of("--env", variable + "=" + value)));
		command.add(image);
		return new Child(name, folder.resolve(name + ".log"), Map.of(), command);
	}

	private HttpResponse<String> send(Access access, String service, String path, @Nullable String job)
			throws IOException, InterruptedException {
		var request = access.request(this.ports.get(service), path).header("Prefer", "wait=10");
		if (job != null) {
			request.header("Content-Type", "application/json").POST(BodyPublishers.ofString(job));
		}
		try (HttpClient client = access.client(Duration.ofSeconds(2))) {
			return client.send(request.timeout(Duration.ofSeconds(20)).build(), BodyHandlers.ofString());
		}
	}

}
