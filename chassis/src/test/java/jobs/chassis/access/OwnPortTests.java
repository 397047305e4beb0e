package jobs.chassis.access;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.ServletException;
import jobs.testkit.Sha256;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.http11.Http11NioProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** A service whose operators have a port of their own, with security on. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
		properties = { "spring.application.name=test", "spring.config.import=classpath:chassis.yml",
				"spring.kafka.bootstrap-servers=127.0.0.1:1", "jobs.security.enabled=true", "management.server.port=0",
				"server.address=127.0.0.1", "server.tomcat.max-connections=300",
				"spring.autoconfigure.exclude="
						+ "org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration" })
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class OwnPortTests {

	private static final String OPERATOR = "jobs_operator";

	@TempDir
	private static Path folder;

	private final HttpClient client = HttpClient.newHttpClient();

	@Autowired
	private ServletWebServerApplicationContext context;

	@Value("${local.server.port}")
	private int port;

	@Value("${local.management.port}")
	private int portOfOperators;

	@DynamicPropertySource
	static void settings(DynamicPropertyRegistry settings) throws IOException {
		Path keys = Files.writeString(folder.resolve("keys"), """
				{"name":"operator","sha256":"%s","roles":["operations:read","operations:write"]}
				""".formatted(Sha256.of(OPERATOR)));
		settings.add("jobs.security.keys-file", keys::toString);
	}

	@Test
	void asksThereWhoMayAsWell() throws Exception {
		HttpResponse<String> refused = get(this.portOfOperators, "/actuator/prometheus", null);

		assertThat(refused.statusCode()).isEqualTo(401);
		assertThat(refused.headers().firstValue("Content-Type")).contains("application/problem+json");
		assertThat(get(this.portOfOperators, "/actuator/prometheus", OPERATOR).statusCode()).isEqualTo(200);
		assertThat(get(this.portOfOperators, "/actuator/health", null).body())
			.isEqualTo("{\"groups\":[\"liveness\",\"readiness\"],\"status\":\"UP\"}");
		assertThat(get(this.portOfOperators, "/actuator/health", OPERATOR).body()).contains("components");
		assertThat(get(this.portOfOperators, "/actuator/nope", OPERATOR).body()).contains("\"status\":404");
	}

	@Test
	void servesOperatorsThereAlone() throws Exception {
		assertThat(get(this.port, "/actuator/health", null).statusCode()).isEqualTo(404);
		assertThat(get(this.port, "/actuator/prometheus", OPERATOR).statusCode()).isEqualTo(404);
	}

	@Test
	void leavesTheServicesPortAsItIsSet() throws Exception {
		Connector connector = ((TomcatWebServer) this.context.getWebServer()).getTomcat().getConnector();

		assertThat(((Http11NioProtocol) connector.getProtocolHandler()).getMaxConnections()).isEqualTo(300);
		assertThat(connector.getService().getContainer().getPipeline().getValves()).extracting(Object::getClass)
			.filteredOn((type) -> type.getName().startsWith("jobs."))
			.hasSize(3)
			.endsWith(OwnValve.class);
	}

	/**
	 * A valve leads to one next one: what both ports shared would lead to the other's.
	 */
	@Test
	void leadsRequestsThroughTheServicesOwnValves() throws Exception {
		int before = OwnValve.requests.get();

		get(this.port, "/nope", OPERATOR);
		get(this.portOfOperators, "/actuator/health", null);

		assertThat(OwnValve.requests.get() - before).isEqualTo(1);
	}

	/** What both ports shared would be gone when the second one stops. */
	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void stops(CapturedOutput log) {
		SpringApplication
			.run(Service.class, "--spring.application.name=test", "--spring.config.import=classpath:chassis.yml",
					"--spring.kafka.bootstrap-servers=127.0.0.1:1", "--server.port=0", "--management.server.port=0",
					"--server.address=127.0.0.1",
					"--spring.autoconfigure.exclude="
							+ "org.springframework.boot.webmvc.autoconfigure.error.ErrorMvcAutoConfiguration")
			.close();

		assertThat(log.getAll()).contains("Graceful shutdown complete")
			.doesNotContain("LifecycleException")
			.doesNotContain("Unable to stop");
	}

	/** Boot would open it to everybody. */
	@Test
	void listensWhereTheServiceDoes() throws Exception {
		for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
			for (InetAddress address : Collections.list(network.getInetAddresses())) {
				try (Socket socket = new Socket()) {
					socket.connect(new InetSocketAddress(address, this.portOfOperators), 1000);
					assertThat(address.isLoopbackAddress()).as("%s", address).isTrue();
				}
				catch (IOException ex) {
					assertThat(address.getHostAddress()).isNotEqualTo("127.0.0.1");
				}
			}
		}
	}

	@Test
	void boundsWhatOperatorsSend() throws Exception {
		HttpResponse<String> answer = this.client.send(request(this.portOfOperators, "/actuator/topics", OPERATOR)
			.POST(BodyPublishers.ofString(" ".repeat(2000)))
			.build(), BodyHandlers.ofString());

		assertThat(answer.statusCode()).isEqualTo(413);
	}

	private HttpResponse<String> get(int port, String path, String key) throws Exception {
		return this.client.send(request(port, path, key).build(), BodyHandlers.ofString());
	}

	private static HttpRequest.Builder request(int port, String path, String key) {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)));
		return (key != null) ? request.header("Authorization", "Bearer " + key) : request;
	}

	@SpringBootConfiguration
	@EnableAutoConfiguration
	static class Service {

		@Bean
		AccessRules rules() {
			return new AccessRules(Set.of("jobs:read", "jobs:write"));
		}

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> ownValve() {
			return (factory) -> factory.addEngineValves(new OwnValve());
		}

	}

	/** Counts the requests that go through it. */
	private static final class OwnValve extends ValveBase {

		private static final AtomicInteger requests = new AtomicInteger();

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			requests.incrementAndGet();
			getNext().invoke(request, response);
		}

	}

}
