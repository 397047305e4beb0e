package jobs.chassis.http;

import java.io.IOException;

import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.SemaphoreValve;
import org.apache.coyote.ActionCode;

/**
 * Bounds the requests in service: it answers each one beyond with 503 and does not read
 * its body. Requests for health and metrics always pass.
 */
public final class RequestLimitValve extends SemaphoreValve {

	private final transient Runnable onRefusal;

	/** Allows {@code requests} at once and runs {@code onRefusal} for each one beyond. */
	public RequestLimitValve(int requests, Runnable onRefusal) {
		this.onRefusal = onRefusal;
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
		this.onRefusal.run();
		Problem.unavailable("Too many requests at once").writeTo(response.getResponse());
		if (!request.isFinished()) {
			request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
		}
	}

}
