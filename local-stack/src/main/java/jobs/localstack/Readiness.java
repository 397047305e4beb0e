package jobs.localstack;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/**
 * Asks services of this machine whether they are ready.
 */
public final class Readiness {

	private final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(1)).build();

	/**
	 * Asks a service.
	 * @param port where it serves
	 * @return whether it says so within 5 s
	 */
	public boolean isAt(int port) {
		try {
			return this.http
				.send(HttpRequest
					.newBuilder(URI.create("http://127.0.0.1:%d/actuator/health/readiness".formatted(port)))
					.timeout(Duration.ofSeconds(5))
					.build(), BodyHandlers.discarding())
				.statusCode() == 200;
		}
		catch (IOException ex) {
			return false;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
