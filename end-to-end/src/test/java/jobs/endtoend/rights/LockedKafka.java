package jobs.endtoend.rights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.testkit.Authority;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.serialization.StringSerializer;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A broker that forbids by default, and takes services by TLS and SCRAM alone. Who is on
 * its other port may do everything.
 */
final class LockedKafka implements AutoCloseable {

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private static final String PASSWORD = "a password";

	private final Path folder;

	private final int port = Ports.free();

	private final int securePort = Ports.free();

	private final Child broker;

	private final Admin admin;

	/** Starts it with a certificate of an authority, which is in the folder already. */
	LockedKafka(Path folder) throws Exception {
		this.folder = folder;
		int controller = Ports.free();
		String settings = """
				listeners=OPEN://127.0.0.1:%1$d,SECURE://127.0.0.1:%2$d,CONTROLLER://127.0.0.1:%3$d
				advertised.listeners=OPEN://127.0.0.1:%1$d,SECURE://localhost:%2$d
				listener.security.protocol.map=OPEN:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT
				inter.broker.listener.name=OPEN
				controller.quorum.voters=1@127.0.0.1:%3$d
				sasl.enabled.mechanisms=SCRAM-SHA-512
				listener.name.secure.scram-sha-512.sasl.jaas.config=%4$s required;
				ssl.keystore.type=PEM
				ssl.keystore.location=%5$s
				authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
				super.users=User:ANONYMOUS
				""".formatted(this.port, this.securePort, controller,
				"org.apache.kafka.common.security.scram.ScramLoginModule", folder.resolve("server.pem"));
		this.broker = Programs.kafka(folder.resolve("kafka"), this.port, folder.resolve("kafka.log"),
				settings.lines().toArray(String[]::new));
		this.broker.start();
		this.broker.awaitReady(() -> Ports.isListening(this.securePort), START_LIMIT);
		this.admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + this.port));
		this.admin.alterUserScramCredentials(List.of(credential("rest-to-kafka"), credential("kafka-to-mongo")))
			.all()
			.get(30, TimeUnit.SECONDS);
	}

	private static UserScramCredentialUpsertion credential(String user) {
		return new UserScramCredentialUpsertion(user, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096),
				PASSWORD);
	}

	/** The settings with which a user's service connects. */
	Map<String, String> settings(String user) {
		Map<String, String> settings = new HashMap<>();
		settings.put("SPRING_KAFKA_BOOTSTRAP_SERVERS", "localhost:" + this.securePort);
		settings.put("SPRING_KAFKA_SECURITY_PROTOCOL", "SASL_SSL");
		settings.put("SPRING_KAFKA_SSL_BUNDLE", "kafka");
		settings.put("SPRING_SSL_BUNDLE_PEM_KAFKA_TRUSTSTORE_CERTIFICATE", this.folder.resolve("trust.crt").toString());
		settings.put("SPRING_KAFKA_PROPERTIES_SASL_MECHANISM", "SCRAM-SHA-512");
		settings.put("SPRING_KAFKA_PROPERTIES_SASL_JAAS_CONFIG",
				"org.apache.kafka.common.security.scram.ScramLoginModule required username=\"%s\" password=\"%s\";"
					.formatted(user, PASSWORD));
		return settings;
	}

	/** Gives the rights by the script that users have, and Kafka's own command. */
	void giveRights(String... options) throws IOException, InterruptedException {
		Path acls = this.folder.resolve("kafka-acls");
		Files.writeString(acls, "#!/bin/sh\nexec '%s' -Xmx64m -cp '%s' org.apache.kafka.tools.AclCommand \"$@\"\n"
			.formatted(Path.of(System.getProperty("java.home"), "bin", "java"), System.getProperty("java.class.path")));
		assertThat(acls.toFile().setExecutable(true)).isTrue();
		ProcessBuilder script = new ProcessBuilder("bash",
				Path.of("..", "deploy", "kafka-rights.sh").toAbsolutePath().toString());
		script.command().addAll(List.of(options));
		script.command().add("127.0.0.1:" + this.port);
		script.environment().put("KAFKA_ACLS", acls.toString());
		script.redirectErrorStream(true).redirectOutput(this.folder.resolve("acls.log").toFile());
		assertThat(script.start().waitFor()).as(() -> text(this.folder.resolve("acls.log"))).isZero();
	}

	private static String text(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

	Collection<AclBinding> rights() throws Exception {
		return this.admin.describeAcls(AclBindingFilter.ANY).values().get(30, TimeUnit.SECONDS);
	}

	void take(AclBinding right) throws Exception {
		this.admin.deleteAcls(List.of(right.toFilter())).all().get(30, TimeUnit.SECONDS);
	}

	void giveBack(AclBinding right) throws Exception {
		this.admin.createAcls(List.of(right)).all().get(30, TimeUnit.SECONDS);
	}

	/** Sends what is no job. */
	void sendStray(String topic) throws Exception {
		try (KafkaProducer<String, String> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", "127.0.0.1:" + this.port), new StringSerializer(),
				new StringSerializer())) {
			producer.send(new ProducerRecord<>(topic, "no job")).get(30, TimeUnit.SECONDS);
		}
	}

	/** Comes again with what is in the folder now. */
	void restart(Authority authority) throws IOException {
		this.broker.close();
		authority.issue(this.folder, "server");
		this.broker.start();
		this.broker.awaitReady(() -> Ports.isListening(this.securePort), START_LIMIT);
	}

	@Override
	public void close() {
		this.admin.close(Duration.ofSeconds(1));
		this.broker.kill();
	}

}
