package jobs.endtoend.rights;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What makes a broker ask who somebody is, by TLS and SCRAM, and forbid by default. The
 * folder has {@code server.pem} and {@code trust.crt}.
 */
public final class KafkaLock {

	private static final String LOGIN = "org.apache.kafka.common.security.scram.ScramLoginModule";

	private static final String PASSWORD = "a password";

	private KafkaLock() {
	}

	/** Further settings of a broker, with a listener that asks. */
	public static String settings(Path folder, String listener) {
		return """
				sasl.enabled.mechanisms=SCRAM-SHA-512
				listener.name.%s.scram-sha-512.sasl.jaas.config=%s required;
				ssl.keystore.type=PEM
				ssl.keystore.location=%s
				authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
				""".formatted(listener.toLowerCase(), LOGIN, folder.resolve("server.pem"));
	}

	/** Makes the users that are the services. */
	public static void addUsers(Admin admin) throws Exception {
		admin.alterUserScramCredentials(List.of(user("rest-to-kafka"), user("kafka-to-mongo")))
			.all()
			.get(30, TimeUnit.SECONDS);
	}

	private static UserScramCredentialUpsertion user(String name) {
		return new UserScramCredentialUpsertion(name, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096),
				PASSWORD);
	}

	/** Gives the services their rights, by the script that users have. */
	public static void giveRights(Path folder, String servers, String... options)
			throws IOException, InterruptedException {
		Path acls = folder.resolve("kafka-acls");
		Files.writeString(acls, "#!/bin/sh\nexec '%s' -Xmx64m -cp '%s' org.apache.kafka.tools.AclCommand \"$@\"\n"
			.formatted(Path.of(System.getProperty("java.home"), "bin", "java"), System.getProperty("java.class.path")));
		assertThat(acls.toFile().setExecutable(true)).isTrue();
		ProcessBuilder script = new ProcessBuilder("bash",
				Path.of("..", "deploy", "kafka-rights.sh").toAbsolutePath().toString());
		script.command().addAll(List.of(options));
		script.command().add(servers);
		script.environment().put("KAFKA_ACLS", acls.toString());
		Path log = folder.resolve("acls.log");
		assertThat(script.redirectErrorStream(true).redirectOutput(log.toFile()).start().waitFor()).as("see %s", log)
			.isZero();
	}

	/** The settings with which a user's service connects. */
	public static Map<String, String> service(Path folder, String servers, String user) {
		Map<String, String> settings = new HashMap<>();
		settings.put("SPRING_KAFKA_BOOTSTRAP_SERVERS", servers);
		settings.put("SPRING_KAFKA_SECURITY_PROTOCOL", "SASL_SSL");
		settings.put("SPRING_KAFKA_SSL_BUNDLE", "kafka");
		settings.put("SPRING_SSL_BUNDLE_PEM_KAFKA_TRUSTSTORE_CERTIFICATE", folder.resolve("trust.crt").toString());
		settings.put("SPRING_KAFKA_PROPERTIES_SASL_MECHANISM", "SCRAM-SHA-512");
		settings.put("SPRING_KAFKA_PROPERTIES_SASL_JAAS_CONFIG",
				"%s required username=\"%s\" password=\"%s\";".formatted(LOGIN, user, PASSWORD));
		return settings;
	}

}
