package jobs.chassis.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.tracing.RequestTraces;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;

/**
 * An error as RFC 9457 wants it: {@code application/problem+json}. Where Spring MVC is
 * not in the way of a request, this takes the place of its {@code ProblemDetail}.
 *
 * @param title the name of the status
 * @param status the status
 * @param detail what is wrong, in a sentence
 * @param errors what is wrong with single fields, if anything; written as JSON
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Problem(String title, int status, @Nullable String detail, List<?> errors) {

	private static final JsonMapper JSON = new JsonMapper();

	/**
	 * Makes a problem that no single field is to blame for.
	 * @param status the status, of 400 or above
	 * @param detail what is wrong, in a sentence
	 * @return the problem
	 */
	public static Problem of(int status, @Nullable String detail) {
		return of(status, detail, List.of());
	}

	/**
	 * Makes a problem.
	 * @param status the status, of 400 or above
	 * @param detail what is wrong, in a sentence
	 * @param errors what is wrong with single fields
	 * @return the problem
	 */
	public static Problem of(int status, @Nullable String detail, List<?> errors) {
		HttpStatus known = HttpStatus.resolve(status);
		return new Problem((known != null) ? known.getReasonPhrase() : "Error", status, detail, errors);
	}

	static Problem unavailable(String detail) {
		return of(HttpServletResponse.SC_SERVICE_UNAVAILABLE, detail);
	}

	/**
	 * The trace of the request that is answered, if it has one.
	 */
	@JsonProperty
	@Nullable String traceId() {
		return RequestTraces.id();
	}

	/**
	 * Answers with this problem; with 503 goes {@code Retry-After}, of one second.
	 * @param response the answer, of which nothing is written yet
	 * @throws IOException when the client is gone
	 */
	public void writeTo(HttpServletResponse response) throws IOException {
		byte[] body = (JSON.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8);
		response.setStatus(this.status);
		if (this.status == HttpServletResponse.SC_SERVICE_UNAVAILABLE) {
			response.setHeader("Retry-After", "1");
		}
		response.setContentType("application/problem+json");
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
	}

}
