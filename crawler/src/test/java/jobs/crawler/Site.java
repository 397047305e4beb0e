package jobs.crawler;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * Web sites of several hosts on this machine, with one port: the addresses of the
 * loopback network are hosts. Their log tells who asked for what, and when.
 */
public final class Site implements AutoCloseable {

	private final List<HttpServer> servers = new ArrayList<>();

	private final Map<String, Response> pages = new ConcurrentHashMap<>();

	private final List<Request> log = Collections.synchronizedList(new ArrayList<>());

	private volatile Handler handler = (url) -> Site.this.pages.get(url);

	/**
	 * Starts sites.
	 * @param hosts how many
	 */
	public Site(int hosts) throws IOException {
		int port = 0;
		for (int i = 1; i <= hosts; i++) {
			HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0." + i), port),
					0);
			port = server.getAddress().getPort();
			String origin = "http://127.0.0.%d:%d".formatted(i, port);
			server.createContext("/", (exchange) -> serve(exchange, origin));
			server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
			server.start();
			this.servers.add(server);
		}
	}

	/** The address of a host, which is counted from 1. */
	public String origin(int host) {
		return "http://127.0.0.%d:%d".formatted(host, this.servers.getFirst().getAddress().getPort());
	}

	public String url(String path) {
		return origin(1) + path;
	}

	/** Puts a page at a path of the first host. */
	public Site page(String path, String html) {
		return put(url(path), Response.html(html));
	}

	public Site put(String url, Response response) {
		this.pages.put(url, response);
		return this;
	}

	public void remove(String path) {
		this.pages.remove(url(path));
	}

	/** Has something else answer; {@code null} is 404. */
	public void answer(Handler handler) {
		this.handler = handler;
	}

	/** What answers now. */
	public Handler handler() {
		return this.handler;
	}

	/** The requests so far. */
	public List<Request> log() {
		synchronized (this.log) {
			return List.copyOf(this.log);
		}
	}

	/** The paths and queries of the requests so far, in their order. */
	public List<String> asked() {
		return log().stream().map(Request::path).toList();
	}

	public void forget() {
		this.log.clear();
	}

	private void serve(HttpExchange exchange, String origin) throws IOException {
		Request request = new Request(origin, exchange.getRequestURI().toString(), System.nanoTime(),
				new TreeMap<>(String.CASE_INSENSITIVE_ORDER));
		exchange.getRequestHeaders().forEach((name, values) -> request.headers().put(name, String.join(",", values)));
		this.log.add(request);
		try (exchange) {
			Response found = this.handler.answer(origin + request.path());
			Response response = (found != null) ? found : new Response(404, Map.of(), new byte[0]);
			if (response.headers().containsKey("ETag")
					&& response.headers().get("ETag").equals(request.headers().get("If-None-Match"))) {
				response = new Response(304, response.headers(), new byte[0]);
			}
			response.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
			boolean isEmpty = response.body().length == 0;
			exchange.sendResponseHeaders(response.status(), isEmpty ? -1 : response.body().length);
			if (!isEmpty) {
				try (OutputStream body = exchange.getResponseBody()) {
					body.write(response.body());
				}
			}
		}
	}

	@Override
	public void close() {
		this.servers.forEach((server) -> server.stop(0));
	}

	/** What a page of postings looks like in most places. */
	public static String posting(String json) {
		return "<html><head><script type=\"application/ld+json\">%s</script></head><body></body></html>"
			.formatted(json);
	}

	/** A page of links. */
	public static String links(String... links) {
		StringBuilder html = new StringBuilder("<html><body>");
		for (String link : links) {
			html.append("<a href=\"").append(link).append("\">x</a>\n");
		}
		return html.append("</body></html>").toString();
	}

	/** Answers requests. */
	@FunctionalInterface
	public interface Handler {

		/** The answer of a URL; {@code null} for 404. */
		@org.jspecify.annotations.Nullable
		Response answer(String url) throws IOException;

	}

	/**
	 * An answer.
	 */
	public record Response(int status, Map<String, String> headers, byte[] body) {

		public static Response html(String html) {
			return new Response(200, Map.of("Content-Type", "text/html; charset=utf-8"),
					html.getBytes(StandardCharsets.UTF_8));
		}

		public static Response of(int status, String... headers) {
			Map<String, String> all = new TreeMap<>();
			for (int i = 0; i < headers.length; i += 2) {
				all.put(headers[i], headers[i + 1]);
			}
			return new Response(status, all, new byte[0]);
		}

		public static Response text(String type, String text) {
			return new Response(200, Map.of("Content-Type", type), text.getBytes(StandardCharsets.UTF_8));
		}

		public Response with(String name, String value) {
			Map<String, String> headers = new TreeMap<>(this.headers);
			headers.put(name, value);
			return new Response(this.status, headers, this.body);
		}

	}

	/**
	 * A request.
	 */
	public record Request(String origin, String path, long nanos, Map<String, String> headers) {
	}

}
