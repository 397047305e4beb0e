package jobs.chassis.kafka;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.kafka.core.DefaultKafkaProducerFactory;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** At a broker that asks who its clients are, and learns of a user too late. */
@Tag("long")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StuckProducerTests {

	private static final String TOPIC = "topic";

	@TempDir
	private Path folder;

	private final int port = Ports.free();

	private final int guarded = Ports.free();

	private Child broker;

	@BeforeEach
	void start() {
		String controller = "127.0.0.1:" + Ports.free();
		String open = "PLAINTEXT://127.0.0.1:%d,SASL_PLAINTEXT://127.0.0.1:%d".formatted(this.port, this.guarded);
		this.broker = Programs.kafka(this.folder.resolve("kafka"), this.port, this.folder.resolve("kafka.log"),
				"listeners=%s,CONTROLLER://%s".formatted(open, controller), "advertised.listeners=" + open,
				"controller.quorum.voters=1@" + controller,
				"listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
				"sasl.enabled.mechanisms=SCRAM-SHA-256", "listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config="
						+ "org.apache.kafka.common.security.scram.ScramLoginModule required;")
			.start();
		this.broker.awaitReady(() -> Ports.isListening(this.guarded), Duration.ofSeconds(60));
	}

	@AfterEach
	void stop() {
		this.broker.kill();
	}

	@Test
	void publishesOnceTheUserIsKnown() throws Exception {
		DefaultKafkaProducerFactory<String, byte[]> kafka = new DefaultKafkaProducerFactory<>(Map.of(
				"bootstrap.servers", "127.0.0.1:" + this.guarded, "security.protocol", "SASL_PLAINTEXT",
				"sasl.mechanism", "SCRAM-SHA-256", "sasl.jaas.config",
				"org.apache.kafka.common.security.scram.ScramLoginModule required username=\"late\" password=\"secret\";",
				"max.block.ms", 500, "request.timeout.ms", 500, "delivery.timeout.ms", 1000, "linger.ms", 0),
				new StringSerializer(), new ByteArraySerializer());
		StuckProducer stuck = new StuckProducer(() -> true);
		stuck.customize(kafka);
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", "127.0.0.1:" + this.port))) {
			admin.createTopics(List.of(new NewTopic(TOPIC, 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
			Sender<String, byte[]> sender = new Sender<>(kafka, Duration.ofSeconds(10));
			for (int i = 0; i < 5; i++) {
				assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> send(sender));
			}

			admin
				.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion("late",
						new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "secret")))
				.all()
				.get(30, TimeUnit.SECONDS);

			Awaitility.await().atMost(60, TimeUnit.SECONDS).ignoreExceptions().until(() -> {
				stuck.replaceIfStuck();
				send(sender);
				return true;
			});
		}
		finally {
			kafka.destroy();
		}
	}

	private static void send(Sender<String, byte[]> sender) throws Exception {
		sender.send(new ProducerRecord<>(TOPIC, "key", "value".getBytes(StandardCharsets.UTF_8)))
			.get(10, TimeUnit.SECONDS);
	}

}
