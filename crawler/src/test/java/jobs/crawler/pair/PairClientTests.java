package jobs.crawler.pair;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jobs.crawler.pair.PairClient.Refusal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class PairClientTests {

	/** Lines that are taken together; the answer to more does not come in time. */
	private static final int MOST = 20;

	private final Queue<String> taken = new ConcurrentLinkedQueue<>();

	private final Queue<String> told = new ConcurrentLinkedQueue<>();

	private final AtomicInteger slow = new AtomicInteger();

	private final CountDownLatch end = new CountDownLatch(1);

	private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

	private HttpServer server;

	@BeforeEach
	void start() throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		this.server.setExecutor(this.threads);
		this.server.createContext("/postings", this::serve);
		this.server.start();
	}

	@AfterEach
	void stop() {
		this.end.countDown();
		this.server.stop(0);
		this.threads.close();
	}

	/** As one whose key may send few documents a second. */
	@Test
	void sendsFewerTogetherToAPairThatTakesItsTime() throws Exception {
		List<byte[]> documents = IntStream.range(0, 200)
			.mapToObj((i) -> "{\"n\":%d}".formatted(i).getBytes(StandardCharsets.UTF_8))
			.toList();

		List<Refusal> refusals = client(Duration.ofMinutes(5)).upload(documents);

		// once more where this machine has no time
		assertThat(new LinkedHashSet<>(this.taken)).containsExactlyElementsOf(
				documents.stream().map((document) -> new String(document, StandardCharsets.UTF_8)).toList());
		assertThat(refusals).contains(new Refusal(7, "seven is none")).hasSize(1);
		assertThat(this.slow.get()).isPositive();
		assertThat(this.told).first().asString().endsWith("no answer to 200 documents within 1 s; trying with 100");
	}

	@Test
	void givesUpWhereNoDocumentIsTakenWithinThePatience() {
		List<byte[]> document = List.of("{\"never\":1}".getBytes(StandardCharsets.UTF_8));

		assertThatIOException().isThrownBy(() -> client(Duration.ofMillis(1)).upload(document))
			.withMessageContaining("no answer (HttpTimeoutException), for 0 s");
	}

	private PairClient client(Duration patience) {
		return new PairClient(URI.create("http://127.0.0.1:%d/postings".formatted(this.server.getAddress().getPort())),
				null, patience, Duration.ofSeconds(1), this.told::add);
	}

	private void serve(HttpExchange exchange) throws IOException {
		try (exchange) {
			List<String> lines = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8).lines()
				.toList();
			if (lines.size() > MOST || lines.getFirst().contains("never")) {
				this.slow.incrementAndGet();
				this.end.await();
				return;
			}
			this.taken.addAll(lines);
			int seventh = lines.indexOf("{\"n\":7}");
			byte[] answer = (((seventh < 0) ? ""
					: "{\"line\":%d,\"status\":400,\"detail\":\"seven is none\"}\n".formatted(seventh + 1))
					+ "{\"lines\":%d,\"accepted\":%d,\"refused\":0}\n".formatted(lines.size(), lines.size()))
				.getBytes(StandardCharsets.UTF_8);
			exchange.sendResponseHeaders(200, answer.length);
			exchange.getResponseBody().write(answer);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
