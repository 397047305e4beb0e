package jobs.endtoend.flow;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** A client that gets events of a resource, as browsers read them. */
final class EventClient implements AutoCloseable {

	private final HttpClient http = HttpClient.newHttpClient();

	private final HttpResponse<InputStream> answer;

	private final BufferedReader lines;

	/** Asks for events, behind that of an id where there is one. */
	EventClient(int port, @Nullable String lastEventId) throws IOException, InterruptedException {
		HttpRequest.Builder request = HttpRequest
			.newBuilder(URI.create("http://127.0.0.1:%d/jobs/events".formatted(port)));
		if (lastEventId != null) {
			request.header("Last-Event-ID", lastEventId);
		}
		this.answer = this.http.send(request.build(), BodyHandlers.ofInputStream());
		this.lines = new BufferedReader(new InputStreamReader(this.answer.body(), StandardCharsets.UTF_8));
	}

	int status() {
		return this.answer.statusCode();
	}

	/** Awaits the next event that has data. */
	Event take() throws IOException {
		String type = "message";
		String id = "";
		String data = null;
		for (String line = this.lines.readLine(); line != null; line = this.lines.readLine()) {
			if (line.startsWith("event: ")) {
				type = line.substring("event: ".length());
			}
			else if (line.startsWith("id: ")) {
				id = line.substring("id: ".length());
			}
			else if (line.startsWith("data: ")) {
				data = line.substring("data: ".length());
			}
			else if (line.isEmpty() && data != null) {
				return new Event(type, id, data);
			}
		}
		throw new IOException("The stream has ended");
	}

	@Override
	public void close() throws IOException {
		this.answer.body().close();
		this.http.close();
	}

	/** An event. */
	record Event(String type, String id, String data) {

	}

}
