package jobs.resttokafka.http;

import java.net.http.HttpRequest;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;

/**
 * What tests over HTTP have in common that need a Kafka.
 */
abstract class ReadyTestBase extends HttpTestBase {

	@BeforeEach
	void awaitReadiness() {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).until(() -> send(readiness()).statusCode() == 200);
	}

	/** Asks for the readiness, at the port of the service or that of operators. */
	HttpRequest.Builder readiness() {
		return HttpRequest.newBuilder(uri("/actuator/health/readiness"));
	}

}
