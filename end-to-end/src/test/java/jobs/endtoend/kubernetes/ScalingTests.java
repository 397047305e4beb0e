package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.mongodb.ConnectionString;
import com.sun.net.httpserver.HttpServer;
import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Proxy;
import jobs.endtoend.seen.Monitor;
import jobs.testkit.Backends;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * How many pods of kafka-to-mongo there should be, by the queries and the formula for
 * KEDA, and by the metrics of two real pods. KEDA's own language takes the formula as
 * Spring's does.
 */
@Tag("night")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ScalingTests {

	private static final byte[] JOB = "{\"title\":\"One of many\"}".getBytes(StandardCharsets.UTF_8);

	/** Those of two pods and a half. */
	private static final int MANY = 250_000;

	private final String topic = "jobs-" + UUID.randomUUID();

	private final Node object = scaledObject();

	ScalingTests() throws IOException {
	}

	private static Node scaledObject() throws IOException {
		return Node.read(Path.of("..", "deploy", "components", "keda", "kafka-to-mongo.yaml"), "ScaledObject")
			.getFirst()
			.get("spec");
	}

	@Test
	void knowsWhenMorePodsHelp() throws Exception {
		Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "scaling").toAbsolutePath();
		String mongo = Backends.get().mongo(this.topic);
		String address = new ConnectionString(mongo).getHosts().getFirst();
		try (Proxy network = new Proxy(Integer.parseInt(address.substring(address.indexOf(':') + 1)));
				Deployment pods = new Deployment(Manifest.of("kafka-to-mongo"), folder,
						Pair.settings(this.topic, mongo.replace(address, "127.0.0.1:" + network.port())))) {
			pods.rollOut(Map.of());
			Map<String, Integer> ports = new HashMap<>();
			pods.ready().forEach((pod) -> ports.put(pod.name(), pod.port));
			try (Monitor monitor = Monitor.start(folder, ports, Access.OPEN, 20)) {
				assumeThat(monitor).as("a Prometheus on the PATH").isNotNull();
				awaitWanted(monitor, 2);
				send(Map.of("transactional.id", this.topic), 1000);
				awaitWanted(monitor, 2);
				assertThat(value(monitor, "lag")).as("the end of a transaction waits for nobody").isZero();
				send(Map.of("linger.ms", 50, "batch.size", 500_000), MANY);
				awaitWanted(monitor, 3);
				network.become(Proxy.Network.CUT);
				awaitWanted(monitor, 2);
				assertThat(value(monitor, "back_off")).isPositive();
				assertThat(monitor.value("sum(max by (partition) (jobs_lag))")).as("more waits than two pods take")
					.isGreaterThan(200_000);
			}
		}
	}

	@Test
	void countsOnlyResourcesThatDoNotWait() throws Exception {
		assertThat(wantedAt(2, """
				jobs_lag{resource="jobs",partition="0"} 150000
				jobs_lag{resource="jobs",partition="1"} 100000
				jobs_lag{resource="orders",partition="0"} 900000
				jobs_back_off_seconds{resource="jobs"} 0
				jobs_back_off_seconds{resource="orders"} 10
				""")).isEqualTo(3);
	}

	@Test
	void keepsThePodsWhileOneResourceWaitsAndNothingElseIsToDo() throws Exception {
		assertThat(wantedAt(4, """
				jobs_lag{resource="jobs",partition="0"} 0
				jobs_lag{resource="orders",partition="0"} 900000
				jobs_back_off_seconds{resource="jobs"} 0
				jobs_back_off_seconds{resource="orders"} 10
				""")).isEqualTo(4);
	}

	/** It may be large, so that to scale down would be wrong. */
	@ParameterizedTest
	@ValueSource(strings = { "jobs_lag{resource=\"orders\",partition=\"0\"} NaN",
			"jobs_lag{resource=\"orders\",partition=\"1\"} NaN", "# as before the first measurement" })
	void isUnknownWhileTheLagOfOneResourceIs(String orders) {
		assertThatExceptionOfType(UnknownException.class).isThrownBy(() -> wantedAt(4, """
				jobs_lag{resource="jobs",partition="0"} 0
				%s
				jobs_back_off_seconds{resource="jobs"} 0
				jobs_back_off_seconds{resource="orders"} 0
				""".formatted(orders)));
	}

	@Test
	void countsWhatAnyPodKnows() throws Exception {
		assertThat(wantedAt(2, """
				jobs_lag{partition="0",pod="a"} NaN
				jobs_lag{partition="0",pod="b"} 250000
				jobs_lag{partition="1",pod="a"} 200000
				jobs_lag{partition="1",pod="b"} NaN
				jobs_back_off_seconds{pod="a"} 0
				jobs_back_off_seconds{pod="b"} 0
				""")).isEqualTo(5);
	}

	private int wantedAt(double now, String metrics) throws Exception {
		Path folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "scaling").toAbsolutePath();
		HttpServer pod = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		pod.createContext("/", (exchange) -> {
			byte[] body = metrics.getBytes(StandardCharsets.UTF_8);
			exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
			exchange.sendResponseHeaders(200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		pod.start();
		try (Monitor monitor = Monitor.start(folder, Map.of("kafka-to-mongo", pod.getAddress().getPort()), Access.OPEN,
				20)) {
			assumeThat(monitor).as("a Prometheus on the PATH").isNotNull();
			Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> monitor.value("sum(jobs_lag)") != null);
			return wanted(monitor, now);
		}
		finally {
			pod.stop(0);
		}
	}

	private void awaitWanted(Monitor monitor, int pods) {
		Awaitility.await()
			.atMost(60, TimeUnit.SECONDS)
			.ignoreExceptionsInstanceOf(UnknownException.class)
			.untilAsserted(() -> assertThat(wanted(monitor, 2)).isEqualTo(pods));
	}

	/** As Kubernetes does it for an average value, without its tolerance. */
	private int wanted(Monitor monitor, double now) throws UnknownException {
		Node modifiers = this.object.get("advanced").get("scalingModifiers");
		StandardEvaluationContext metrics = new StandardEvaluationContext();
		metrics.setVariable("pods", now);
		metrics.setVariable("back_off", value(monitor, "back_off"));
		metrics.setVariable("lag", value(monitor, "lag"));
		String formula = modifiers.text("formula").replaceAll("\\b([a-z_]+)\\b", "#$1");
		Double value = new SpelExpressionParser().parseExpression(formula).getValue(metrics, Double.class);
		if (value == null) {
			throw new UnknownException();
		}
		long wanted = (long) Math.ceil(value / modifiers.number("target"));
		return Math.clamp(wanted, this.object.number("minReplicaCount"), this.object.number("maxReplicaCount"));
	}

	/** What a trigger knows. */
	private double value(Monitor monitor, String trigger) throws UnknownException {
		Node metadata = this.object.list("triggers")
			.stream()
			.filter((one) -> one.text("name").equals(trigger))
			.findFirst()
			.orElseThrow()
			.get("metadata");
		@Nullable Double value = monitor.value(metadata.text("query"));
		assertThat(metadata.text("ignoreNullValues")).isEqualTo("false");
		if (value == null) {
			throw new UnknownException();
		}
		return value;
	}

	private void send(Map<String, Object> settings, int jobs) {
		Map<String, Object> all = new HashMap<>(settings);
		all.put("bootstrap.servers", Backends.get().kafka());
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(all, new ByteArraySerializer(),
				new ByteArraySerializer())) {
			boolean inTransaction = all.containsKey("transactional.id");
			if (inTransaction) {
				producer.initTransactions();
				producer.beginTransaction();
			}
			for (int i = 0; i < jobs; i++) {
				producer.send(new ProducerRecord<>(this.topic, JOB));
			}
			if (inTransaction) {
				producer.commitTransaction();
			}
		}
	}

	/** A metric has no value yet, at which the number of pods stays. */
	private static final class UnknownException extends Exception {

	}

}
