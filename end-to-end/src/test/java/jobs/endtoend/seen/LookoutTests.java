package jobs.endtoend.seen;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import com.sun.net.httpserver.HttpServer;
import jobs.endtoend.pair.Access;
import jobs.localstack.Programs;
import org.assertj.core.groups.Tuple;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who looks at a service sees what it says, and that it says nothing.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LookoutTests {

	private HttpServer service;

	private volatile int readiness = 200;

	private volatile String metrics = "jobs_part_up{part=\"kafka\"} 1.0\n";

	private Lookout lookout;

	@BeforeEach
	void start() throws IOException {
		this.service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.service.createContext("/", (exchange) -> {
			boolean health = exchange.getRequestURI().getPath().endsWith("readiness");
			byte[] body = (health ? "{\"status\":\"?\"}" : this.metrics).getBytes(StandardCharsets.UTF_8);
			exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4");
			exchange.sendResponseHeaders(health ? this.readiness : 200, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		this.service.start();
		this.lookout = new Lookout("sink-0", this.service.getAddress().getPort(), Access.OPEN, "");
	}

	@AfterEach
	void stop() {
		this.service.stop(0);
	}

	@Test
	void seesNothingWhereAllIsWell() throws InterruptedException {
		this.metrics = """
				# HELP jobs_part_up no series
				jobs_part_up{part="kafka"} 1.0
				jobs_part_up_of_others{part="mongo"} 0.0
				jobs_listener_running 1.0
				jobs_back_off_seconds 0.0
				jobs_oldest_waiting_seconds{} 1.5E-4
				""";

		this.lookout.look();

		assertThat(this.lookout.sightings()).isEmpty();
	}

	@Test
	void seesReadinessAndMetrics() throws InterruptedException {
		this.readiness = 503;
		this.metrics = """
				jobs_part_up{application="x",part="kafka"} 0.0
				jobs_part_up{application="x",part="mongo"} 1.0
				jobs_part_up{part="listener"} 0.0
				jobs_listener_running 0.0
				jobs_back_off_seconds 0.5
				jobs_oldest_waiting_seconds NaN
				""";

		this.lookout.look();

		assertThat(this.lookout.present()).extracting(Sighting::sign)
			.containsExactlyInAnyOrder(Sign.NOT_READY, Sign.KAFKA_DOWN, Sign.LISTENER_DOWN, Sign.LISTENER_STOPPED,
					Sign.BATCH_WAITS, Sign.BACKLOG_UNKNOWN);
	}

	@Test
	void notesFromWhenUntilWhenASignWasThere() throws InterruptedException {
		for (String value : List.of("1.0", "0.0", "0.0", "1.0", "0.0")) {
			this.metrics = "jobs_listener_running " + value + "\n";
			this.lookout.look();
		}

		assertThat(this.lookout.sightings()).extracting(Sighting::sign)
			.containsExactly(Sign.LISTENER_STOPPED, Sign.LISTENER_STOPPED);
		assertThat(this.lookout.present()).hasSize(1);
	}

	@Test
	void seesAServiceThatIsGoneAtTheSecondLook() throws InterruptedException {
		this.readiness = 503;
		this.lookout.look();
		this.service.stop(0);

		this.lookout.look();
		assertThat(this.lookout.present()).extracting(Sighting::sign).containsExactly(Sign.NOT_READY);
		this.lookout.look();
		assertThat(this.lookout.present()).extracting(Sighting::sign).containsExactly(Sign.SILENT);
	}

	@Test
	void seesAlertsThatFireWherePrometheusIsThere(@TempDir Path folder) {
		Assumptions.assumeTrue(Programs.onPath("prometheus") != null, "there is no prometheus on the PATH");
		this.metrics = """
				jobs_part_up{part="mongo"} 0.0
				jobs_oldest_waiting_seconds 16
				jobs_build_info{service="rest-to-kafka"} 1
				jobs_build_info{service="kafka-to-mongo"} 1
				""";
		long start = System.currentTimeMillis();

		try (Monitor monitor = Monitor.start(folder, Map.of("sink-0", this.service.getAddress().getPort()), Access.OPEN,
				20)) {
			assertThat(monitor).isNotNull();
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.untilAsserted(() -> assertThat(monitor.sightings(new Span(start, System.currentTimeMillis()), ""))
					.extracting(Sighting::sign, Sighting::where)
					.containsExactlyInAnyOrder(Tuple.tuple(Sign.JOBS_MONGO_DOWN, "sink-0"),
							Tuple.tuple(Sign.JOBS_WAIT_TOO_LONG, "")));
			this.service.stop(0);
			Awaitility.await()
				.atMost(Duration.ofSeconds(60))
				.untilAsserted(() -> assertThat(monitor.sightings(new Span(start, System.currentTimeMillis()), ""))
					.extracting(Sighting::sign)
					.contains(Sign.JOBS_SERVICE_DOWN));
		}
	}

	@Test
	void leavesOutOneResource() throws InterruptedException {
		Lookout other = new Lookout("sink-0", this.service.getAddress().getPort(), Access.OPEN, "poisoned");
		this.metrics = "jobs_back_off_seconds{resource=\"poisoned\"} 10.0\n";

		other.look();
		assertThat(other.sightings()).isEmpty();
		this.metrics = "jobs_back_off_seconds{resource=\"jobs\"} 10.0\n";
		other.look();

		assertThat(other.sightings()).extracting(Sighting::sign).containsExactly(Sign.BATCH_WAITS);
	}

	@Test
	void makesSpansOfInstants() {
		assertThat(Monitor.spans(List.of(1000L, 2000L, 3000L, 7000L))).containsExactly(new Span(1000, 4000),
				new Span(7000, 8000));
	}

}
