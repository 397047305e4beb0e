package jobs.endtoend.pair;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.Consumer;

/**
 * Takes connections at a free port of this machine, each in a thread of its own.
 */
public final class Listener implements AutoCloseable {

	private final ServerSocket server;

	private final Consumer<Socket> each;

	/**
	 * Starts to listen.
	 * @param each gets each connection, and closes it
	 */
	public Listener(Consumer<Socket> each) {
		this.each = each;
		try {
			this.server = new ServerSocket(0, 1000, InetAddress.getLoopbackAddress());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Thread.startVirtualThread(this::accept);
	}

	public int port() {
		return this.server.getLocalPort();
	}

	public boolean isClosed() {
		return this.server.isClosed();
	}

	private void accept() {
		while (!isClosed()) {
			try {
				Socket client = this.server.accept();
				Thread.startVirtualThread(() -> this.each.accept(client));
			}
			catch (IOException ex) {
				// closed, or too many open files: the clients see it
			}
		}
	}

	@Override
	public void close() {
		try {
			this.server.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
