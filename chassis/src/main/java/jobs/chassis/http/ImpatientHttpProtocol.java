package jobs.chassis.http;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP/1.1 with deadlines for slow clients, since Tomcat's own time-out starts
 * anew with each byte. A handshake of TLS or a request's head may take the connection
 * time-out, and an answer a minute. While more than 250 clients keep requests waiting,
 * each that pauses for a second is cut. While three of four connections are taken, those
 * are cut that were idle for a second. With TLS there are fewer connections.
 */
public class ImpatientHttpProtocol extends Http11NioProtocol {

	/** When more clients than this keep requests waiting, long pauses are cut. */
	private static final int MANY = 250;

	/** The longest pause of a client while many keep requests waiting. */
	private static final long HURRY_MILLIS = 1000;

	/** The longest time to read an answer, from the last byte of the request. */
	private static final long ANSWER_MILLIS = 60_000;

	/** Buffers of TLS take 67 KB of a connection, twice as much as all else. */
	private static final int CONNECTIONS_FOR_ONE_OF_TLS = 3;

	/** What each connection had done by the last look. */
	private Map<NioSocketWrapper, Activity> activities = Map.of();

	/** With TLS, a third of the connections that are set. */
	@Override
	public void init() throws Exception {
		if (isSSLEnabled() && getMaxConnections() > 0) {
			setMaxConnections(Math.ceilDiv(getMaxConnections(), CONNECTIONS_FOR_ONE_OF_TLS));
		}
		super.init();
	}

	@Override
	public void start() throws Exception {
		super.start();
		getUtilityExecutor().scheduleWithFixedDelay(this::cutSlowClients, 1, 1, TimeUnit.SECONDS);
	}

	/** Bytes of an answer's buffer, of which Tomcat allocates three times as much. */
	@Override
	public int getDesiredBufferSize() {
		return 2048;
	}

	private void cutSlowClients() {
		try {
			List<NioSocketWrapper> connections = getEndpoint().getConnections()
				.stream()
				.map(NioSocketWrapper.class::cast)
				.toList();
			noteActivities(connections);
			cut(connections.stream().map(this::waitFor).filter(Objects::nonNull).toList());
			cutIdleClients(connections);
		}
		catch (RuntimeException ex) {
			// an exception would end the executor's schedule
			getLog().warn("Slow clients could not be cut", ex);
		}
	}

	private void noteActivities(List<NioSocketWrapper> connections) {
		long now = System.nanoTime();
		Map<NioSocketWrapper, Activity> seen = HashMap.newHashMap(connections.size());
		for (NioSocketWrapper connection : connections) {
			Activity before = this.activities.get(connection);
			seen.put(connection, (before != null) ? before.after(connection, now) : Activity.first(connection, now));
		}
		this.activities = seen;
	}

	private void cut(List<Wait> waits) {
		boolean hurry = waits.size() > MANY;
		for (Wait wait : waits) {
			if (wait.isOverdue() || (hurry && wait.millis() > HURRY_MILLIS)) {
				cut(wait.connection());
			}
		}
	}

	/**
	 * A client that asks now and then keeps its place for as long as it likes, so that
	 * some could take all.
	 */
	private void cutIdleClients(List<NioSocketWrapper> connections) {
		if (getMaxConnections() > 0 && connections.size() >= getMaxConnections() - getMaxConnections() / 4) {
			connections.stream()
				.filter(ImpatientHttpProtocol::isIdle)
				.filter((connection) -> activity(connection).millisIdle() >= HURRY_MILLIS)
				.forEach(ImpatientHttpProtocol::cut);
		}
	}

	/**
	 * Whether it has no request, nor a part of one. One whose bytes have come and wait
	 * for a thread is no longer asked for more.
	 */
	private static boolean isIdle(NioSocketWrapper connection) {
		return connection.getSocket().isHandshakeComplete() && connection.getCurrentProcessor() == null
				&& !connection.getLock().isLocked() && (connection.interestOps() & SelectionKey.OP_READ) != 0;
	}

	/**
	 * Finds what a connection waits for. Tomcat keeps the processor of an incomplete
	 * head, and locks a connection whose request is in service.
	 */
	private @Nullable Wait waitFor(NioSocketWrapper connection) {
		if (!connection.getSocket().isHandshakeComplete()) {
			long age = millisSince(activity(connection).first());
			return new Wait(connection, age, isOverdue(age));
		}
		if (connection.getCurrentProcessor() instanceof Processor processor) {
			long start = processor.getRequest().getStartTimeNanos();
			long age = millisSince(start);
			return (start != -1) ? new Wait(connection, age, isOverdue(age)) : null;
		}
		int waitsFor = connection.getLock().isLocked() ? connection.interestOps() : 0;
		if (waitsFor == 0) {
			return null;
		}
		Activity activity = activity(connection);
		boolean overdue = (waitsFor & SelectionKey.OP_WRITE) != 0 && millisSince(activity.read()) > ANSWER_MILLIS;
		return new Wait(connection, activity.millisIdle(), overdue);
	}

	private Activity activity(NioSocketWrapper connection) {
		return Objects.requireNonNull(this.activities.get(connection));
	}

	private static long millisSince(long nanos) {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
	}

	private boolean isOverdue(long millis) {
		return getConnectionTimeout() > 0 && millis > getConnectionTimeout();
	}

	/** Shuts down both directions; Tomcat then notices and closes the connection. */
	private static void cut(NioSocketWrapper connection) {
		SocketChannel channel = connection.getSocket().getIOChannel();
		try {
			if (channel != null) {
				channel.shutdownInput();
				channel.shutdownOutput();
			}
		}
		catch (IOException ex) {
			// the connection is closed already
		}
	}

	/**
	 * When a connection was seen first, and when bytes were seen to come and to go last,
	 * as {@link System#nanoTime()}. Tomcat notes the time of day, which somebody may set:
	 * here its notes only tell that something has happened since the last look.
	 */
	record Activity(long first, long read, long written, long lastRead, long lastWrite) {

		static Activity first(NioSocketWrapper connection, long now) {
			return new Activity(now, now, now, connection.getLastRead(), connection.getLastWrite());
		}

		Activity after(NioSocketWrapper connection, long now) {
			return after(connection.getLastRead(), connection.getLastWrite(), now);
		}

		/** What there is after Tomcat's notes of the last read and write. */
		Activity after(long lastRead, long lastWrite, long now) {
			return new Activity(this.first, (lastRead != this.lastRead) ? now : this.read,
					(lastWrite != this.lastWrite) ? now : this.written, lastRead, lastWrite);
		}

		/** Milliseconds since the last byte. */
		long millisIdle() {
			return Math.min(millisSince(this.read), millisSince(this.written));
		}

	}

	/**
	 * A client that a request waits for. The {@code millis} are the age of an incomplete
	 * handshake or head, or the time since the last byte of a body or answer.
	 */
	private record Wait(NioSocketWrapper connection, long millis, boolean isOverdue) {
	}

}
