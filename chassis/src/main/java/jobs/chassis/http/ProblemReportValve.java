package jobs.chassis.http;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.AbstractProtocol;
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
			Problem problem = isStopping(request, status) ? Problem.unavailable("Stopping") : Problem.of(status, null);
			problem.writeTo(response.getResponse());
			response.finishResponse();
		}
		catch (IOException | IllegalStateException ex) {
			this.container.getLogger().debug("The client is gone", ex);
		}
	}

	/**
	 * Whether a service that stops is why Tomcat calls a request wrong, which a client
	 * would not send again.
	 */
	private static boolean isStopping(Request request, int status) {
		return switch (status) {
			// the services have one context, which answers all paths until they stop
			case HttpServletResponse.SC_NOT_FOUND -> request.getContext() == null;
			// where Tomcat is paused behind the request line, it reads no headers, and
			// takes the request for one without a host
			case HttpServletResponse.SC_BAD_REQUEST ->
				request.getConnector().getProtocolHandler() instanceof AbstractProtocol<?> protocol
						&& protocol.isPaused();
			default -> false;
		};
	}

}
