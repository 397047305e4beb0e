package jobs.chassis.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.operations.RequestTraces;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;

/**
 * An error in the form of RFC 9457 ({@code application/problem+json}), for requests that
 * bypass Spring MVC and its {@code ProblemDetail}.
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Problem(String title, int status, @Nullable String detail, List<?> errors) {

	private static final JsonMapper JSON = new JsonMapper();

	/** Makes a problem without errors of single fields; the status is 400 or above. */
	public static Problem of(int status, @Nullable String detail) {
		return of(status, detail, List.of());
	}

	/** Makes a problem; the status is 400 or above, the errors concern single fields. */
	public static Problem of(int status, @Nullable String detail, List<?> errors) {
		HttpStatus known = HttpStatus.resolve(status);
		return new Problem((known != null) ? known.getReasonPhrase() : "Error", status, detail, errors);
	}

	/** Makes a problem with 503, for what may succeed a second later. */
	public static Problem unavailable(String detail) {
		return of(HttpServletResponse.SC_SERVICE_UNAVAILABLE, detail);
	}

	/** The trace id of the current request, if it has one. */
	@JsonProperty
	@Nullable String traceId() {
		return RequestTraces.id();
	}

	/**
	 * Writes this problem into an answer that is still empty; a 503 gets
	 * {@code Retry-After: 1} (seconds). Throws IOException when the client is gone.
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
