package jobs.chassis.http;

import java.io.IOException;

import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.SemaphoreValve;

/**
 * Bounds the requests in service, and answers each one beyond with 503 at once. Requests
 * for health and metrics always pass.
 */
public final class RequestLimitValve extends SemaphoreValve {

	/** Allows {@code requests} at once, beside those for health and metrics. */
	public RequestLimitValve(int requests) {
		setConcurrency(requests);
		setBlock(false);
	}

	/**
	 * Whether a request is for health or metrics, which no bound and no count concern.
	 */
	public static boolean isForOperators(Request request) {
		String path = request.getDecodedRequestURI();
		return path != null && path.startsWith("/actuator/");
	}

	@Override
	public boolean controlConcurrency(Request request, Response response) {
		return !isForOperators(request);
	}

	@Override
	public void permitDenied(Request request, Response response) throws IOException, ServletException {
		Problem.unavailable("Too many requests at once").writeTo(response.getResponse());
	}

}
