package jobs.localstack;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports of this machine.
 */
public final class Ports {

	/**
	 * Below those that systems give to outgoing connections: Linux from 32768, others
	 * from 49152 (RFC 6335).
	 */
	private static final int FIRST = 20_000;

	private static final int AFTER_LAST = 32_768;

	private static final Set<Integer> GIVEN = ConcurrentHashMap.newKeySet();

	private Ports() {
	}

	/**
	 * Finds a port that nobody listens on, that this process has not been given before,
	 * and that no outgoing connection takes before its owner listens, or listens again.
	 * @return the port, 20000 to 32767
	 * @throws IllegalStateException when none of 1,000 at random is free
	 */
	public static int free() {
		return ThreadLocalRandom.current()
			.ints(1000, FIRST, AFTER_LAST)
			.filter((port) -> !isTaken(port) && GIVEN.add(port))
			.findFirst()
			.orElseThrow(() -> new IllegalStateException(
					"No free port was found from %d to %d".formatted(FIRST, AFTER_LAST - 1)));
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

	/**
	 * The port that a variable of the environment names.
	 * @throws IllegalStateException when it is no port
	 */
	static int named(String variable, int otherwise) {
		String port = System.getenv(variable);
		if (port == null) {
			return otherwise;
		}
		if (!port.matches("[1-9]\\d{0,4}") || Integer.parseInt(port) > 65535) {
			throw new IllegalStateException(
					"%s is '%s', and that is no port: leave it out for port %d, or set it to one of 1 to 65535."
						.formatted(variable, port, otherwise));
		}
		return Integer.parseInt(port);
	}

	/**
	 * A port that is wanted, or another where that is taken, which is told.
	 */
	static int freeFor(String name, int wanted) {
		int port = freeOr(wanted);
		if (port != wanted) {
			System.out.printf("Port %d is taken: %s gets port %d%n", wanted, name, port);
		}
		return port;
	}

	/**
	 * Refuses a port that is taken.
	 * @throws IllegalStateException with the variable that can name another
	 */
	static void requireFree(int port, String variable) {
		if (isTaken(port)) {
			throw new IllegalStateException(
					"Port %1$d is taken: stop the program that listens there, or choose another port, as %2$s=%3$d ./run"
						.formatted(port, variable, free()));
		}
	}

}
