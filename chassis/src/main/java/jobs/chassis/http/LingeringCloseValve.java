package jobs.chassis.http;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.ServletException;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.LifecycleListener;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.apache.coyote.ActionCode;
import org.apache.tomcat.util.net.ApplicationBufferHandler;

/**
 * Reads what a client still sends after its answer. Most clients look at an answer once
 * they have sent all, and lose it when the connection is closed over unread bytes. This
 * valve stands before all others, so that a request being drained holds no place of those
 * in service. The connector tells it, as a listener, that the service stops.
 */
class LingeringCloseValve extends ValveBase implements LifecycleListener {

	/** Requests being drained for DRAINING_TIME; beyond: SHORT_DRAINING_TIME. */
	private static final int DRAINED_REQUESTS = 100;

	/** The longest time for which a request is drained. */
	private static final Duration DRAINING_TIME = Duration.ofSeconds(60);

	/**
	 * The time in which a client must send DRAINING_PACE_BYTES again and again, the
	 * longest time where all places are taken, and that of a stop's wait for drains.
	 */
	private static final Duration SHORT_DRAINING_TIME = Duration.ofSeconds(5);

	/** Bytes read from a client where all places are taken. */
	private static final int SHORT_DRAINING_BYTES = 2 * 1024 * 1024;

	/** Bytes that a client must send in each SHORT_DRAINING_TIME. */
	private static final int DRAINING_PACE_BYTES = 16 * 1024;

	private static final long POLL_MILLIS = 20;

	private final transient Semaphore places;

	private final transient Duration longTime;

	private final transient Duration shortTime;

	private final transient AtomicInteger beingDrained = new AtomicInteger();

	LingeringCloseValve() {
		this(DRAINED_REQUESTS, DRAINING_TIME, SHORT_DRAINING_TIME);
	}

	LingeringCloseValve(int places, Duration longTime, Duration shortTime) {
		super(true);
		this.places = new Semaphore(places);
		this.longTime = longTime;
		this.shortTime = shortTime;
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		getNext().invoke(request, response);
		if (!request.isFinished() && !request.isAsync()) {
			this.beingDrained.incrementAndGet();
			boolean hasPlace = this.places.tryAcquire();
			try {
				drain(request, response, hasPlace);
			}
			finally {
				this.beingDrained.decrementAndGet();
				if (hasPlace) {
					this.places.release();
				}
			}
		}
	}

	private void drain(Request request, Response response, boolean hasPlace) {
		org.apache.coyote.Request body = request.getCoyoteRequest();
		try {
			response.finishResponse();
			// who does not read an answer waits for none
			if (isBeingSent(body) && !response.getCoyoteResponse().isExceptionPresent()) {
				Drain drain = new Drain(hasPlace);
				// below the request's stream, which finishing the answer has closed
				while (drain.goesOn()) {
					drain.add(body.doRead(drain));
				}
			}
		}
		catch (IOException | IllegalStateException | IllegalArgumentException ex) {
			// the client is gone or silent, or its malformed head has no end
		}
		if (!request.isFinished()) {
			// else Tomcat would read on as long as there is a byte now and then
			body.action(ActionCode.DISABLE_SWALLOW_INPUT, null);
		}
	}

	/**
	 * Whether a body is on its way: not where reading it has failed, and not where the
	 * client waits to be asked for it.
	 */
	private static boolean isBeingSent(org.apache.coyote.Request body) {
		return body.getErrorException() == null && (!body.hasExpectation() || body.getBytesRead() > 0);
	}

	/** Holds up a stop for the short time, so that answers arrive. */
	@Override
	public void lifecycleEvent(LifecycleEvent event) {
		if (!event.getType().equals(Lifecycle.BEFORE_STOP_EVENT)) {
			return;
		}
		long start = System.nanoTime();
		try {
			while (this.beingDrained.get() > 0 && System.nanoTime() - start < this.shortTime.toNanos()) {
				Thread.sleep(POLL_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/** Counts the bytes that Tomcat reads and nobody looks at. */
	private final class Drain implements ApplicationBufferHandler {

		private final long start = System.nanoTime();

		private final boolean hasPlace;

		private ByteBuffer buffer = ByteBuffer.allocate(0);

		private boolean ended;

		private long bytes;

		private long paceStart = this.start;

		private long paceBytes;

		private Drain(boolean hasPlace) {
			this.hasPlace = hasPlace;
		}

		void add(int read) {
			this.ended = read < 0;
			this.bytes += read;
			this.paceBytes += read;
		}

		boolean goesOn() {
			long now = System.nanoTime();
			if (now - this.paceStart >= LingeringCloseValve.this.shortTime.toNanos()) {
				this.ended |= this.paceBytes < DRAINING_PACE_BYTES;
				this.paceStart = now;
				this.paceBytes = 0;
			}
			Duration time = this.hasPlace ? LingeringCloseValve.this.longTime : LingeringCloseValve.this.shortTime;
			return !this.ended && now - this.start < time.toNanos()
					&& (this.hasPlace || this.bytes < SHORT_DRAINING_BYTES);
		}

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
