package jobs.resttokafka.http;

import java.io.IOException;
import java.util.function.BooleanSupplier;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.RequestLimitValve;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;

/** Counts requests once they are answered, and does what Tomcat alone can do with one. */
class AfterAnswerValve extends ValveBase {

	/**
	 * The request attribute with a {@link BooleanSupplier}: whether a read of the body
	 * returns at once. {@code available()} does not know what the socket has.
	 */
	static final String IS_AT_HAND = AfterAnswerValve.class.getName();

	/**
	 * The request attribute with a {@link Runnable}: lets the answer go on as if no read
	 * of the body had failed.
	 */
	static final String FORGET_FAILURE = AfterAnswerValve.class.getName() + ".forgetFailure";

	private final transient RequestMetrics metrics;

	AfterAnswerValve(RequestMetrics metrics) {
		super(true);
		this.metrics = metrics;
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		if (RequestLimitValve.isForOperators(request)) {
			getNext().invoke(request, response);
			return;
		}
		try {
			request.setAttribute(IS_AT_HAND, (BooleanSupplier) () -> isAtHand(request));
			request.setAttribute(FORGET_FAILURE, (Runnable) () -> forgetFailure(request, response));
			getNext().invoke(request, response);
		}
		finally {
			this.metrics.request(request.getServletPath(), response.getStatus());
		}
	}

	private static void forgetFailure(Request request, Response response) {
		response.resetError();
		response.setSuspended(false);
		if (!response.isCommitted()) {
			response.setStatus(HttpServletResponse.SC_OK);
			response.setHeader("Connection", "close");
		}
		request.removeAttribute(RequestDispatcher.ERROR_EXCEPTION);
	}

	/**
	 * Looks into the socket only within a body of known length. Behind its end stands the
	 * next request, and of a chunked body the end of a chunk alone would count.
	 */
	private static boolean isAtHand(Request request) {
		if (request.isFinished() || request.getContentLengthLong() < 0) {
			return request.isFinished();
		}
		request.getCoyoteRequest().action(ActionCode.AVAILABLE, Boolean.TRUE);
		return request.getCoyoteRequest().getAvailable() > 0;
	}

}
