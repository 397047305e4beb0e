package jobs.kafkatomongo;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import org.apache.coyote.Processor;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP/1.1, which in addition cuts clients that keep a request waiting: one that
 * takes longer than the connection time-out to send a head (Tomcat waits as long anew for
 * each byte), and, once many are waited for, all that did nothing for a second.
 */
public class BoundedHttp extends Http11NioProtocol {

	private static final int MANY = 250;

	private static final long HURRY_MILLIS = 1000;

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
				.map((connection) -> Wait.of((NioSocketWrapper) connection))
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
			if (hurry ? wait.millis() > HURRY_MILLIS : wait.forHead() && wait.millis() > getConnectionTimeout()) {
				cut(wait.connection());
			}
		}
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
	 * @param forHead whether the head has begun and is not complete
	 * @param millis the age of the head, or the time since a byte of the body or answer
	 */
	private record Wait(NioSocketWrapper connection, boolean forHead, long millis) {

		static @Nullable Wait of(NioSocketWrapper connection) {
			if (connection.getCurrentProcessor() instanceof Processor processor) {
				long start = processor.getRequest().getStartTimeNanos();
				return (start != -1)
						? new Wait(connection, true, TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start)) : null;
			}
			if (connection.getLock().isLocked() && connection.interestOps() != 0) {
				long last = Math.max(connection.getLastRead(), connection.getLastWrite());
				return new Wait(connection, false, System.currentTimeMillis() - last);
			}
			return null;
		}

	}

}
