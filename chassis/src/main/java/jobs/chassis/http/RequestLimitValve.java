package jobs.chassis.http;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Predicate;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.SemaphoreValve;

/**
 * Bounds the requests in service, and answers each one beyond with 503 at once. Requests
 * for health, those for metrics and those of operators with a body have bounds of their
 * own, so that neither load nor slow clients of one kind shut out those of another.
 */
public final class RequestLimitValve extends SemaphoreValve {

	/** Bytes of an operator's body; beyond: 413. */
	private static final int OPERATORS_BODY = 1024;

	private final transient Predicate<Request> requests;

	/** Allows {@code requests} at once, beside those of operators. */
	public RequestLimitValve(int requests) {
		this(requests, (request) -> !isForOperators(request));
	}

	private RequestLimitValve(int limit, Predicate<Request> requests) {
		this.requests = requests;
		setConcurrency(limit);
		setBlock(false);
	}

	/** Allows {@code requests} for health at once. */
	static RequestLimitValve ofHealth(int requests) {
		return new RequestLimitValve(requests, (request) -> isForHealth(path(request)));
	}

	/** Allows {@code requests} for metrics, and for what else operators ask, at once. */
	static RequestLimitValve ofMetrics(int requests) {
		return new RequestLimitValve(requests,
				(request) -> isForOperators(request) && !isForHealth(path(request)) && !hasBody(request));
	}

	/** Allows {@code requests} of operators that bring a body at once. */
	static RequestLimitValve ofOperations(int requests) {
		return new RequestLimitValve(requests, (request) -> isForOperators(request) && hasBody(request));
	}

	private static boolean hasBody(Request request) {
		return request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null;
	}

	/** What serves operators reads a body whole, whatever its size. */
	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		if (isForOperators(request) && hasBody(request)
				&& (request.getContentLengthLong() < 0 || request.getContentLengthLong() > OPERATORS_BODY)) {
			Problem
				.of(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE,
						"The body must have a Content-Length of at most %d bytes".formatted(OPERATORS_BODY))
				.writeTo(response.getResponse());
			return;
		}
		super.invoke(request, response);
	}

	/** Whether a request is for health or metrics, and for none of the service's own. */
	public static boolean isForOperators(Request request) {
		return isBelow("/actuator", path(request));
	}

	private static boolean isForHealth(String path) {
		return isBelow("/actuator/health", path);
	}

	private static boolean isBelow(String root, String path) {
		return path.equals(root) || path.startsWith(root + "/");
	}

	/** A malformed request has no path. */
	private static String path(Request request) {
		return Objects.requireNonNullElse(request.getDecodedRequestURI(), "");
	}

	@Override
	public boolean controlConcurrency(Request request, Response response) {
		return this.requests.test(request);
	}

	@Override
	public void permitDenied(Request request, Response response) throws IOException, ServletException {
		Problem.unavailable("Too many requests at once").writeTo(response.getResponse());
	}

}
