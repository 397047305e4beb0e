package jobs.kafkatomongo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;

/**
 * Answers as {@code application/problem+json} (RFC 9457) where nobody else has answered:
 * Tomcat's own errors, and whatever a servlet throws.
 */
public class ProblemValve extends ErrorReportValve {

	@Override
	protected void report(Request request, Response response, @Nullable Throwable failure) {
		int status = response.getStatus();
		if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
			return;
		}
		if (status == HttpServletResponse.SC_SERVICE_UNAVAILABLE) {
			response.setHeader("Retry-After", "1");
		}
		HttpStatus known = HttpStatus.resolve(status);
		String trace = RequestTraces.id();
		String problem = "{\"title\":\"%s\",\"status\":%d%s}\n".formatted(
				(known != null) ? known.getReasonPhrase() : "Error", status,
				(trace != null) ? ",\"%s\":\"%s\"".formatted(Tracing.TRACE_ID, trace) : "");
		try {
			response.setContentType("application/problem+json");
			response.getOutputStream().write(problem.getBytes(StandardCharsets.UTF_8));
			response.finishResponse();
		}
		catch (IOException | IllegalStateException ex) {
			this.container.getLogger().debug("The client is gone", ex);
		}
	}

}
