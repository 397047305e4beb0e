package jobs.resttokafka;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * Bounds how many requests are in service, but for questions after health, and how long
 * each goes on after its answer. Counts them, and lets them look into their socket.
 */
class RequestBounds extends ValveBase {

	/**
	 * The attribute of a request that tells whether more of its body is here, a
	 * {@link BooleanSupplier}: {@code available()} does not know what the socket has.
	 */
	static final String IS_AT_HAND = RequestBounds.class.getName();

	/** Of some 65 KB each. */
	private static final int MAX_REQUESTS = 500;

	private static final int MAX_DRAINED = 2 * 1024 * 1024;

	private static final long MAX_DRAINING = TimeUnit.SECONDS.toNanos(5);

	private final Semaphore requests = new Semaphore(MAX_REQUESTS);

	private final transient JobMetrics metrics;

	RequestBounds(JobMetrics metrics) {
		super(true);
		this.metrics = metrics;
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		String path = request.getDecodedRequestURI();
		if (path != null && path.startsWith("/actuator/")) {
			getNext().invoke(request, response);
			return;
		}
		if (!this.requests.tryAcquire()) {
			refuse(request, response);
			this.metrics.request(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
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
			this.requests.release();
			this.metrics.request(response.getStatus());
		}
	}

	/**
	 * Looks into the socket where that is safe: behind the end of a body stands the next
	 * request, and of a chunked one the end of a chunk alone would count.
	 */
	private static boolean isAtHand(Request request) {
		if (request.isFinished() || request.getContentLengthLong() < 0) {
			return request.isFinished();
		}
		request.getCoyoteRequest().action(ActionCode.AVAILABLE, Boolean.TRUE);
		return request.getCoyoteRequest().getAvailable() > 0;
	}

	private static void refuse(Request request, Response response) throws IOException {
		RefusedException.unavailable("Too many requests at once").writeTo(response.getResponse());
		request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
	}

	/**
	 * Reads for a while what a client still sends after its answer: closing at once can
	 * cost it the answer. Tomcat would read as long as there is a byte now and then.
	 */
	private static void drain(Request request, Response response) {
		long start = System.nanoTime();
		boolean sends = response.getStatus() != HttpServletResponse.SC_REQUEST_TIMEOUT
				&& !request.getCoyoteRequest().hasExpectation();
		try {
			response.finishResponse();
			// from below: finishing the answer has closed the request's stream
			Ignored ignored = new Ignored();
			int left = sends ? MAX_DRAINED : 0;
			for (int read = 0; read >= 0 && left > 0 && System.nanoTime() - start < MAX_DRAINING; left -= read) {
				read = request.getCoyoteRequest().doRead(ignored);
			}
		}
		catch (IOException | IllegalStateException | IllegalArgumentException ex) {
			// the client is gone, or its head was none and has no end
		}
		if (!request.isFinished()) {
			request.getCoyoteRequest().action(ActionCode.DISABLE_SWALLOW_INPUT, null);
		}
	}

	/**
	 * Where Tomcat puts what it has read, and nobody looks.
	 */
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
			// of handlers that keep what was read
		}

	}

}
