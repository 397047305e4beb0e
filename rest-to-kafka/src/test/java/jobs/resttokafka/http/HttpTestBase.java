package jobs.resttokafka.http;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;

import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * What tests over HTTP have in common.
 */
abstract class HttpTestBase {

	final HttpClient client = HttpClient.newHttpClient();

	@LocalServerPort
	int port;

	HttpRequest.Builder post(String body) {
		return HttpRequest.newBuilder(uri("/jobs"))
			.header("Content-Type", "application/json")
			.POST(BodyPublishers.ofString(body));
	}

	URI uri(String path) {
		return URI.create("http://127.0.0.1:" + this.port + path);
	}

	HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
		return this.client.send(request.timeout(Duration.ofSeconds(10)).build(), HttpResponse.BodyHandlers.ofString());
	}

}
