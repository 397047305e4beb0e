package jobs.endtoend.pair;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A network between a client and a server on this machine, that can fail.
 */
public final class Proxy implements AutoCloseable {

	/**
	 * How the network is.
	 */
	public enum Network {

		/** Forwards all at once. */
		WELL,
		/** Closes every connection, and each new one. */
		CUT,
		/** Forwards everything late. */
		SLOW,
		/** Takes connections and data, and forwards nothing until it is well again. */
		BLACK_HOLE,
		/** Forwards what clients send, and no reply until it is well again. */
		NO_REPLIES,
		/** Closes a connection when its server replies, without the reply. */
		CUT_ON_REPLY

	}

	private static final Duration DELAY = Duration.ofMillis(150);

	private final Listener listener = new Listener((client) -> new Link(client).open());

	private final int target;

	private final Set<Link> links = ConcurrentHashMap.newKeySet();

	private volatile Network network = Network.WELL;

	/**
	 * Starts to listen.
	 * @param target the port of the server
	 */
	public Proxy(int target) {
		this.target = target;
	}

	public int port() {
		return this.listener.port();
	}

	public synchronized void become(Network network) {
		this.network = network;
		notifyAll();
		if (network == Network.CUT) {
			this.links.forEach(Link::close);
		}
	}

	private synchronized void awaitPassage(boolean reply) throws InterruptedException {
		while (this.network == Network.BLACK_HOLE || (reply && this.network == Network.NO_REPLIES)) {
			wait();
		}
	}

	@Override
	public void close() {
		this.listener.close();
		become(Network.CUT);
	}

	/**
	 * A client's connection and the one to the server.
	 */
	private final class Link {

		private final Socket client;

		private final Socket upstream = new Socket();

		Link(Socket client) {
			this.client = client;
		}

		void open() {
			Proxy.this.links.add(this);
			try {
				awaitPassage(false);
				if (Proxy.this.network == Network.CUT) {
					close();
					return;
				}
				this.client.setTcpNoDelay(true);
				this.upstream.setTcpNoDelay(true);
				this.upstream.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), Proxy.this.target), 2000);
				Thread.startVirtualThread(() -> forward(this.upstream, this.client, true));
				forward(this.client, this.upstream, false);
			}
			catch (IOException ex) {
				close();
			}
			catch (InterruptedException ex) {
				close();
				Thread.currentThread().interrupt();
			}
		}

		private void forward(Socket from, Socket to, boolean reply) {
			byte[] buffer = new byte[64 * 1024];
			try {
				InputStream in = from.getInputStream();
				OutputStream out = to.getOutputStream();
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					if (Proxy.this.network == Network.SLOW) {
						Thread.sleep(DELAY);
					}
					awaitPassage(reply);
					if (reply && Proxy.this.network == Network.CUT_ON_REPLY) {
						close();
						return;
					}
					out.write(buffer, 0, length);
				}
				awaitPassage(reply);
				to.shutdownOutput();
				if (reply) {
					close();
				}
			}
			catch (IOException ex) {
				close();
			}
			catch (InterruptedException ex) {
				close();
				Thread.currentThread().interrupt();
			}
		}

		void close() {
			Proxy.this.links.remove(this);
			try (this.client; this.upstream) {
				// closes both
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

	}

}
