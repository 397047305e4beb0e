package jobs.chassis.http;

import java.io.IOException;
import java.util.Objects;
import java.util.function.Predicate;

import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.SemaphoreValve;

/**
 * Bounds the requests in service, and answers each one beyond with 503 at once. Requests
 * for health and those for metrics have bounds of their own, so that neither load nor
 * slow readers of metrics shut out who asks after health.
 */
public final class RequestLimitValve extends SemaphoreValve {

	private final transient Predicate<String> paths;

	/** Allows {@code requests} at once, beside those of operators. */
	public RequestLimitValve(int requests) {
		this(requests, (path) -> !isForOperators(path));
	}

	private RequestLimitValve(int requests, Predicate<String> paths) {
		this.paths = paths;
		setConcurrency(requests);
		setBlock(false);
	}

	/** Allows {@code requests} for health at once. */
	static RequestLimitValve ofHealth(int requests) {
		return new RequestLimitValve(requests, RequestLimitValve::isForHealth);
	}

	/** Allows {@code requests} for metrics, and for what else operators ask, at once. */
	static RequestLimitValve ofMetrics(int requests) {
		return new RequestLimitValve(requests, (path) -> isForOperators(path) && !isForHealth(path));
	}

	/** Whether a request is for health or metrics, and for none of the service's own. */
	public static boolean isForOperators(Request request) {
		return isForOperators(path(request));
	}

	private static boolean isForOperators(String path) {
		return isBelow("/actuator", path);
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
		return this.paths.test(path(request));
	}

	@Override
	public void permitDenied(Request request, Response response) throws IOException, ServletException {
		Problem.unavailable("Too many requests at once").writeTo(response.getResponse());
	}

}
