package jobs.chassis.http;

import java.io.IOException;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.SemaphoreValve;
import org.apache.coyote.ActionCode;

/**
 * Bounds how many requests are in service. A request beyond that is answered 503 at once,
 * and its body is not read. Questions after health and metrics always get through.
 */
public final class RequestLimitValve extends SemaphoreValve {

	private final transient Runnable onRefusal;

	/**
	 * Makes the bound.
	 * @param requests how many requests may be in service
	 * @param onRefusal is done for each request beyond that
	 */
	public RequestLimitValve(int requests, Runnable onRefusal) {
		this.onRefusal = onRefusal;
		setConcurrency(requests);
		setBlock(false);
	}

	@Override
	public boolean controlConcurrency(Request request, Response response) {
		String path = request.getDecodedRequestURI();
		return path == null || !path.startsWith("/actuator/");
	}

	@Override
	public void permitDenied(Request request, Response response) throws IOException, ServletException {
		this.onRefusal.run();
		Problem.unavailable("Too many requests at once").writeTo(response.getResponse());
		request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
	}

}
