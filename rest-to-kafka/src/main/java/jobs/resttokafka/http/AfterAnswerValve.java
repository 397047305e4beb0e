package jobs.resttokafka.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.RequestLimitValve;
import jobs.resttokafka.limits.Limits;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/** Counts requests, looks into their sockets, and bounds what is read after an answer. */
class AfterAnswerValve extends ValveBase {

	/**
	 * The request attribute with a {@link BooleanSupplier}: whether a read of the body
	 * returns at once. {@code available()} does not know what the socket has.
	 */
	static final String IS_AT_HAND = AfterAnswerValve.class.getName();

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
			getNext().invoke(request, response);
			if (!request.isFinished()) {
				drain(request, response);
			}
		}
		finally {
			this.metrics.request(response.getStatus());
		}
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

	/**
	 * Reads for a while what a client still sends after its answer, because closing at
	 * once can cost it the answer. Tomcat would read as long as a byte comes now and
	 * then.
	 */
	private static void drain(Request request, Response response) {
		long start = System.nanoTime();
		boolean sends = response.getStatus() != HttpServletResponse.SC_REQUEST_TIMEOUT
				&& !request.getCoyoteRequest().hasExpectation();
		try {
			response.finishResponse();
			// below the request's stream, which finishing the answer has closed
			Ignored ignored = new Ignored();
			int left = sends ? Limits.DRAINED_BYTES : 0;
			for (int read = 0; read >= 0 && left > 0
					&& System.nanoTime() - start < Limits.DRAINING_TIME.toNanos(); left -= read) {
				read = request.getCoyoteRequest().doRead(ignored);
			}
		}
		catch (IOException | IllegalStateException | IllegalArgumentException ex) {
			// the client is gone, or its malformed head has no end
		}
		if (!request.isFinished()) {
			request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
		}
	}

	/** Takes the bytes that Tomcat reads and nobody looks at. */
	private static final class Ignored implements ApplicationBufferHandler {

		private ByteBuffer buffer = ByteBuffer.allocate(0);

		@Override
		public void setByteBuffer(ByteBuffer buffer) {
			this.buffer = buffer;
		}

		@Override
		public ByteBuffer getByteBuffer() {
			return this.buffer;
		}

		@Override
		public void expand(int size) {
			// only handlers that keep the bytes need room
		}

	}

}
