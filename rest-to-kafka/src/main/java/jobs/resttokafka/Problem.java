package jobs.resttokafka;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.HttpStatus;

/**
 * An error as RFC 9457 wants it: {@code application/problem+json}.
 *
 * @param title the name of the status
 * @param status the status
 * @param detail what is wrong, in a sentence
 * @param errors the fields at fault, if any
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
record Problem(String title, int status, @Nullable String detail, List<Violation> errors) {

	private static final JsonMapper JSON = new JsonMapper();

	static Problem of(int status, @Nullable String detail) {
		HttpStatus known = HttpStatus.resolve(status);
		return new Problem((known != null) ? known.getReasonPhrase() : "Error", status, detail, List.of());
	}

	/**
	 * The trace of the request that is answered, if it has one.
	 */
	@JsonProperty
	@Nullable String traceId() {
		return RequestTraces.id();
	}

	void writeTo(HttpServletResponse response) throws IOException {
		byte[] body = (JSON.writeValueAsString(this) + "\n").getBytes(StandardCharsets.UTF_8);
		response.setStatus(this.status);
		response.setContentType("application/problem+json");
		response.setContentLength(body.length);
		response.getOutputStream().write(body);
	}

	/**
	 * A rule that a field breaks.
	 *
	 * @param pointer the field, as a JSON Pointer (RFC 6901)
	 * @param detail the rule
	 */
	record Violation(String pointer, String detail) {

	}

}
