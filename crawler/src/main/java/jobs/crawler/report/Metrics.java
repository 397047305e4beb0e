package jobs.crawler.report;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * Serves the counts of a crawl to Prometheus, at {@code /metrics} of a port of this
 * machine alone.
 */
public final class Metrics implements AutoCloseable {

	private final HttpServer server;

	/**
	 * Starts to listen.
	 * @param port to listen at; 0 for a free one
	 * @param waiting how many pages wait
	 */
	public Metrics(int port, Report report, IntSupplier waiting) throws IOException {
		this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 10);
		this.server.createContext("/metrics", (exchange) -> answer(exchange, text(report, waiting.getAsInt())));
		this.server.start();
	}

	/** The port that it listens at. */
	public int port() {
		return this.server.getAddress().getPort();
	}

	private static void answer(HttpExchange exchange, String text) throws IOException {
		byte[] body = text.getBytes(StandardCharsets.UTF_8);
		exchange.getResponseHeaders().set("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
		exchange.sendResponseHeaders(200, body.length);
		try (OutputStream out = exchange.getResponseBody()) {
			out.write(body);
		}
	}

	private static String text(Report report, int waiting) {
		StringBuilder text = new StringBuilder("# TYPE crawler_pages_total counter\n");
		report.outcomes()
			.forEach((outcome, count) -> text
				.append("crawler_pages_total{outcome=\"%s\"} %d%n".formatted(escaped(outcome), count)));
		text.append("# TYPE crawler_counts_total counter\n");
		report.others()
			.forEach((name, count) -> text
				.append("crawler_counts_total{of=\"%s\"} %d%n".formatted(escaped(name), count)));
		return text.append("# TYPE crawler_pages_waiting gauge\ncrawler_pages_waiting %d%n".formatted(waiting))
			.toString();
	}

	private static String escaped(String label) {
		return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
