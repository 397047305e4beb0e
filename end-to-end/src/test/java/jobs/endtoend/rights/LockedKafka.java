package jobs.endtoend.rights;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.testkit.Authority;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * A broker that forbids by default, and takes services by TLS and SCRAM alone. Who is on
 * its other port may do everything.
 */
public final class LockedKafka implements AutoCloseable {

	private static final Duration START_LIMIT = Duration.ofSeconds(60);

	private final Path tls;

	private final int port = Ports.free();

	private final int securePort = Ports.free();

	private final Child broker;

	private final Admin admin;

	/**
	 * Starts it with a certificate of an authority, which is in its folder {@code tls}
	 * already.
	 */
	public LockedKafka(Path folder) throws Exception {
		this.tls = folder.resolve("tls");
		int controller = Ports.free();
		String settings = """
				listeners=OPEN://127.0.0.1:%1$d,SECURE://127.0.0.1:%2$d,CONTROLLER://127.0.0.1:%3$d
				advertised.listeners=OPEN://127.0.0.1:%1$d,SECURE://localhost:%2$d
				listener.security.protocol.map=OPEN:PLAINTEXT,SECURE:SASL_SSL,CONTROLLER:PLAINTEXT
				inter.broker.listener.name=OPEN
				controller.quorum.voters=1@127.0.0.1:%3$d
				super.users=User:ANONYMOUS
				""".formatted(this.port, this.securePort, controller) + KafkaLock.settings(this.tls, "SECURE");
		this.broker = Programs.kafka(folder.resolve("kafka"), this.port, folder.resolve("kafka.log"),
				settings.lines().toArray(String[]::new));
		this.broker.start();
		this.broker.awaitReady(() -> Ports.isListening(this.securePort), START_LIMIT);
		this.admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + this.port));
		KafkaLock.addUsers(this.admin);
	}

	/** The settings with which a user's service connects. */
	public Map<String, String> settings(String user) {
		return KafkaLock.service(this.tls, "localhost:" + this.securePort, user);
	}

	public void giveRights(String... options) throws IOException, InterruptedException {
		KafkaLock.giveRights(this.tls, "127.0.0.1:" + this.port, options);
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
		authority.issue(this.tls, "server");
		this.broker.start();
		this.broker.awaitReady(() -> Ports.isListening(this.securePort), START_LIMIT);
	}

	@Override
	public void close() {
		this.admin.close(Duration.ofSeconds(1));
		this.broker.kill();
	}

}
