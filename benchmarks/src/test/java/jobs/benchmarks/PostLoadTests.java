package jobs.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jobs.benchmarks.PostLoad.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What a service gets of a load. */
@Timeout(30)
class PostLoadTests {

	private final List<String> requests = Collections.synchronizedList(new ArrayList<>());

	@TempDir
	private Path folder;

	private HttpServer server;

	@BeforeEach
	void listen() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.createContext("/", this::answer);
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.server.stop(0);
	}

	private void answer(HttpExchange exchange) throws IOException {
		String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
		this.requests.add(exchange.getRequestURI() + " " + body);
		exchange.sendResponseHeaders(202, 2);
		exchange.getResponseBody().write("{}".getBytes(StandardCharsets.UTF_8));
		exchange.close();
	}

	@Test
	void postsToItsPathsInTurn() throws Exception {
		Postings postings = Postings.read(Files.writeString(this.folder.resolve("jobs"), "{\"title\":\"a\"}\n"));
		PostLoad load = new PostLoad(this.server.getAddress().getPort(), postings, List.of("/jobs", "/orders"));

		Outcome outcome = load.open(1, 1000, Duration.ofMillis(4), new long[4]);

		assertThat(outcome.answered()).isEqualTo(4);
		assertThat(this.requests).containsExactly("/jobs " + text(postings, 0), "/orders " + text(postings, 1),
				"/jobs " + text(postings, 2), "/orders " + text(postings, 3));
	}

	private static String text(Postings postings, int number) {
		return new String(postings.job(number), StandardCharsets.UTF_8);
	}

}
