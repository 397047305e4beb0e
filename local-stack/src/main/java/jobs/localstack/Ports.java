package jobs.localstack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Ports of this machine.
 */
public final class Ports {

	private Ports() {
	}

	/**
	 * Finds a port that nobody listens on.
	 * @return the port
	 */
	public static int free() {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			return socket.getLocalPort();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	static int freeOr(int wanted) {
		return isTaken(wanted) ? free() : wanted;
	}

	static boolean isTaken(int port) {
		try (ServerSocket socket = new ServerSocket()) {
			socket.setReuseAddress(true);
			socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
			return false;
		}
		catch (IOException ex) {
			return true;
		}
	}

	/**
	 * Tells whether somebody takes connections at a port.
	 * @param port the port
	 * @return whether one was taken within 1 s
	 */
	public static boolean isListening(int port) {
		try (Socket socket = new Socket()) {
			socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
			return true;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
