package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import jobs.endtoend.pair.Listener;

/**
 * What a Kubernetes service does: each connection goes to a pod that is ready, as far as
 * is known, and stays there. It notes whom it saw refused.
 */
final class Balancer implements AutoCloseable {

	/** Until all nodes know who is ready. */
	private static final Duration PROPAGATION = Duration.ofSeconds(1);

	private static final byte[] REFUSAL = "HTTP/1.1 503".getBytes(StandardCharsets.US_ASCII);

	private final Listener listener = new Listener(this::connect);

	private final Supplier<List<Pod>> pods;

	private final AtomicInteger turn = new AtomicInteger();

	private final List<String> refusals = new CopyOnWriteArrayList<>();

	private final AtomicInteger byTheDead = new AtomicInteger();

	private volatile List<Pod> endpoints = List.of();

	Balancer(Supplier<List<Pod>> pods) {
		this.pods = pods;
		Thread.startVirtualThread(this::look);
	}

	int port() {
		return this.listener.port();
	}

	/** How many pods get requests. */
	int endpoints() {
		return this.endpoints.size();
	}

	/** Requests that were refused or not answered, but by pods that had been evicted. */
	List<String> refusals() {
		return this.refusals;
	}

	/** Requests to pods that had been evicted. */
	int byTheDead() {
		return this.byTheDead.get();
	}

	private void look() {
		try {
			while (!this.listener.isClosed()) {
				this.endpoints = this.pods.get();
				Thread.sleep(PROPAGATION);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void connect(Socket client) {
		List<Pod> all = this.endpoints;
		if (all.isEmpty()) {
			this.refusals.add("no pod is ready");
			close(client);
			return;
		}
		Pod pod = all.get(Math.floorMod(this.turn.getAndIncrement(), all.size()));
		try {
			Socket server = new Socket();
			server.setTcpNoDelay(true);
			client.setTcpNoDelay(true);
			server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), pod.port), 2000);
			new Link(pod, client, server).open();
		}
		catch (IOException ex) {
			note(pod, "refuses a connection");
			close(client);
		}
	}

	private void note(Pod pod, String what) {
		if (pod.isEvicted()) {
			this.byTheDead.incrementAndGet();
		}
		else {
			this.refusals.add("%s, which was %s, %s".formatted(pod.name(), state(pod), what));
		}
	}

	private static String state(Pod pod) {
		return pod.isTerminating() ? "told to end" : "ready";
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// it is gone either way
		}
	}

	@Override
	public void close() {
		this.listener.close();
	}

	/** A client's connection, and the one to a pod. */
	private final class Link {

		private final Pod pod;

		private final Socket client;

		private final Socket server;

		/** Whether the client waits for an answer. */
		private volatile boolean asked;

		private volatile boolean clientGone;

		Link(Pod pod, Socket client, Socket server) {
			this.pod = pod;
			this.client = client;
			this.server = server;
		}

		void open() {
			Thread.startVirtualThread(this::answer);
			byte[] buffer = new byte[64 * 1024];
			try {
				InputStream in = this.client.getInputStream();
				OutputStream out = this.server.getOutputStream();
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					this.asked = true;
					out.write(buffer, 0, length);
				}
				this.clientGone = true;
				this.server.shutdownOutput();
			}
			catch (IOException ex) {
				// who answers sees the end
			}
		}

		private void answer() {
			byte[] buffer = new byte[64 * 1024];
			try {
				InputStream in = this.server.getInputStream();
				OutputStream out = this.client.getOutputStream();
				for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
					this.asked = false;
					if (startsWithRefusal(buffer, length)) {
						note(this.pod, "refuses with 503");
					}
					out.write(buffer, 0, length);
				}
			}
			catch (IOException ex) {
				// as after an end
			}
			if (this.asked && !this.clientGone) {
				note(this.pod, "gives no answer");
			}
			close(this.client);
			close(this.server);
		}

		private static boolean startsWithRefusal(byte[] buffer, int length) {
			return length >= REFUSAL.length && Arrays.equals(buffer, 0, REFUSAL.length, REFUSAL, 0, REFUSAL.length);
		}

	}

}
