package jobs.chassis.http;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Bounds the requests in service, and answers each one beyond with 503 at once. Requests
 * for health, those for metrics and those of operators with a body have bounds of their
 * own, so that neither load nor slow clients of one kind shut out those of another.
 */
public final class RequestLimitValve extends ValveBase {

	/** Requests for health in service, and as many for metrics; beyond: 503. */
	private static final int OPERATORS = 20;

	/** Requests of operators with a body in service; beyond: 503. */
	private static final int OPERATIONS = 2;

	/** Bytes of an operator's body; beyond: 413. */
	private static final int OPERATORS_BODY = 1024;

	private final transient Map<Kind, Semaphore> places = new EnumMap<>(Kind.class);

	/** Allows {@code requests} at once, beside those of operators. */
	public RequestLimitValve(int requests) {
		super(true);
		this.places.put(Kind.SERVICE, new Semaphore(requests));
		this.places.put(Kind.HEALTH, new Semaphore(OPERATORS));
		this.places.put(Kind.METRICS, new Semaphore(OPERATORS));
		this.places.put(Kind.OPERATIONS, new Semaphore(OPERATIONS));
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		Kind kind = Kind.of(request);
		if (kind == Kind.OPERATIONS && !"POST".equals(request.getMethod())) {
			// all may send these, and what serves them would wait for the body
			Problem.of(HttpServletResponse.SC_BAD_REQUEST, "A body is read here with POST alone")
				.writeTo(response.getResponse());
			return;
		}
		if (kind == Kind.OPERATIONS
				&& (request.getContentLengthLong() < 0 || request.getContentLengthLong() > OPERATORS_BODY)) {
			// what serves operators reads a body whole, whatever its size
			Problem
				.of(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE,
						"The body must have a Content-Length of at most %d bytes".formatted(OPERATORS_BODY))
				.writeTo(response.getResponse());
			return;
		}
		Semaphore places = Objects.requireNonNull(this.places.get(kind));
		if (!places.tryAcquire()) {
			Problem.unavailable("Too many requests at once").writeTo(response.getResponse());
			return;
		}
		try {
			getNext().invoke(request, response);
		}
		finally {
			places.release();
		}
	}

	/** Whether a request is of an operator, and for none of the service's own paths. */
	public static boolean isForOperators(Request request) {
		return Kind.of(request) != Kind.SERVICE;
	}

	/** Requests that share their places. */
	private enum Kind {

		SERVICE, HEALTH, METRICS, OPERATIONS;

		static Kind of(Request request) {
			// a malformed request has no path
			String path = Objects.requireNonNullElse(request.getDecodedRequestURI(), "");
			if (!isBelow("/actuator", path)) {
				return SERVICE;
			}
			if (request.getContentLengthLong() > 0 || request.getHeader("Transfer-Encoding") != null) {
				return OPERATIONS;
			}
			return isBelow("/actuator/health", path) ? HEALTH : METRICS;
		}

		private static boolean isBelow(String root, String path) {
			return path.equals(root) || path.startsWith(root + "/");
		}

	}

}
