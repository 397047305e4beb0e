package jobs.chassis.http;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP/1.1, which in addition cuts clients that keep a request waiting. Tomcat
 * waits anew for each byte; here a head may take no longer than the connection time-out,
 * and an answer must be read within a minute. While many clients are waited for, each
 * that pauses for a second is cut.
 */
public class ImpatientHttpProtocol extends Http11NioProtocol {

	/** Clients waited for, above which a pause is not granted any more. */
	private static final int MANY = 250;

	/** Longest pause of a client while many are waited for. */
	private static final long HURRY_MILLIS = 1000;

	/** Longest time in which an answer must be read. */
	private static final long ANSWER_MILLIS = 60_000;

	@Override
	public void start() throws Exception {
		super.start();
		getUtilityExecutor().scheduleWithFixedDelay(this::cutSlowClients, 1, 1, TimeUnit.SECONDS);
	}

	/**
	 * The size of the buffer of an answer, of which Tomcat allocates three times as much.
	 */
	@Override
	public int getDesiredBufferSize() {
		return 2048;
	}

	private void cutSlowClients() {
		try {
			cut(getEndpoint().getConnections()
				.stream()
				.map((connection) -> waitFor((NioSocketWrapper) connection))
				.filter(Objects::nonNull)
				.toList());
		}
		catch (RuntimeException ex) {
			// an executor would not come back after it
			getLog().warn("Slow clients could not be cut", ex);
		}
	}

	private void cut(List<Wait> waits) {
		boolean hurry = waits.size() > MANY;
		for (Wait wait : waits) {
			if (wait.isOverdue() || (hurry && wait.millis() > HURRY_MILLIS)) {
				cut(wait.connection());
			}
		}
	}

	private @Nullable Wait waitFor(NioSocketWrapper connection) {
		if (connection.getCurrentProcessor() instanceof Processor processor) {
			long start = processor.getRequest().getStartTimeNanos();
			long age = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
			return (start != -1) ? new Wait(connection, age, age > getConnectionTimeout()) : null;
		}
		int waitsFor = connection.getLock().isLocked() ? connection.interestOps() : 0;
		if (waitsFor == 0) {
			return null;
		}
		long now = System.currentTimeMillis();
		boolean overdue = (waitsFor & SelectionKey.OP_WRITE) != 0 && now - connection.getLastRead() > ANSWER_MILLIS;
		return new Wait(connection, now - Math.max(connection.getLastRead(), connection.getLastWrite()), overdue);
	}

	/**
	 * Ends the waiting; what waited then closes the connection.
	 */
	private static void cut(NioSocketWrapper connection) {
		SocketChannel channel = connection.getSocket().getIOChannel();
		try {
			if (channel != null) {
				channel.shutdownInput();
				channel.shutdownOutput();
			}
		}
		catch (IOException ex) {
			// it is gone by itself
		}
	}

	/**
	 * A client that a request waits for.
	 *
	 * @param connection its connection
	 * @param millis the age of a head that is not complete, or the time since a byte of
	 * the body or answer
	 * @param isOverdue whether the head or the answer takes too long
	 */
	private record Wait(NioSocketWrapper connection, long millis, boolean isOverdue) {
	}

}
