package jobs.chassis.http;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;

/**
 * Answers with a {@link Problem} where nothing else has answered: Tomcat's own errors,
 * such as a malformed request line, and exceptions of servlets.
 */
public class ProblemReportValve extends ErrorReportValve {

	@Override
	protected void report(Request request, Response response, @Nullable Throwable failure) {
		int status = response.getStatus();
		if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
			return;
		}
		try {
			// the services have one context, which answers all paths until they stop
			boolean stops = request.getContext() == null && status == HttpServletResponse.SC_NOT_FOUND;
			Problem problem = stops ? Problem.unavailable("Stopping") : Problem.of(status, null);
			problem.writeTo(response.getResponse());
			response.finishResponse();
		}
		catch (IOException | IllegalStateException ex) {
			this.container.getLogger().debug("The client is gone", ex);
		}
	}

}
