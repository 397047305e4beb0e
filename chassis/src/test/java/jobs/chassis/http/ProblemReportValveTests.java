package jobs.chassis.http;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.ProtocolHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * With Tomcat itself. {@code ServiceTests} has the problems of a service that is up.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ProblemReportValveTests {

	private final Tomcat tomcat = new Tomcat();

	@TempDir
	private Path folder;

	private void start(ProtocolHandler protocol) throws Exception {
		this.tomcat.setBaseDir(this.folder.toString());
		((StandardHost) this.tomcat.getHost()).setErrorReportValveClass(BoundedHttp.ProblemReportValve.class.getName());
		Connector connector = new Connector(protocol);
		connector.setPort(0);
		this.tomcat.setConnector(connector);
		this.tomcat.start();
	}

	@AfterEach
	void stop() throws Exception {
		this.tomcat.stop();
		this.tomcat.destroy();
	}

	/**
	 * A client takes 404 for a mistake of its own, and does not send the job again.
	 */
	@Test
	void answersWithUnavailableOnceTheServiceHasStoppedBehindIt() throws Exception {
		start(new ImpatientHttpProtocol());

		requireStopping(post());
	}

	/**
	 * Tomcat reads no headers then, and takes the request for one without a host: 400.
	 */
	@Test
	void answersWithUnavailableWhenTheServiceStopsBehindTheRequestLine() throws Exception {
		start(new PausedBehindTheRequestLine());

		requireStopping(post());
	}

	private HttpResponse<String> post() throws Exception {
		URI jobs = URI.create("http://127.0.0.1:%d/jobs".formatted(this.tomcat.getConnector().getLocalPort()));
		try (HttpClient client = HttpClient.newHttpClient()) {
			return client.send(HttpRequest.newBuilder(jobs).POST(BodyPublishers.ofString("{}")).build(),
					BodyHandlers.ofString());
		}
	}

	private static void requireStopping(HttpResponse<String> answer) {
		assertThat(answer.statusCode()).isEqualTo(503);
		assertThat(answer.headers().firstValue("Retry-After")).contains("1");
		assertThat(answer.body()).contains("Stopping");
	}

	/** Is paused for good once a request has begun. */
	private static final class PausedBehindTheRequestLine extends ImpatientHttpProtocol {

		private final AtomicInteger looks = new AtomicInteger();

		@Override
		public boolean isPaused() {
			return this.looks.getAndIncrement() > 0;
		}

	}

}
