package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jobs.endtoend.kubernetes.Manifest.Probe;
import jobs.endtoend.pair.Application;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.testkit.ServicesImage;

/**
 * A service as a process, and the kubelet that starts, asks and ends it as its manifest
 * says.
 */
final class Pod {

	/** How often a kubelet looks whether a container has ended. */
	private static final Duration LOOK = Duration.ofSeconds(1);

	private static final HttpClient HTTP = HttpClient.newHttpClient();

	final int port = Ports.free();

	private final Manifest manifest;

	private final Child process;

	private volatile boolean ready;

	private volatile boolean terminating;

	private volatile boolean evicted;

	private volatile boolean gone;

	private volatile String complaint = "";

	Pod(Manifest manifest, Application application, String name, Path folder, Map<String, String> overlay)
			throws IOException {
		this.manifest = manifest;
		Map<String, String> environment = new HashMap<>(manifest.environment());
		environment.putAll(overlay);
		environment.put("SERVER_PORT", Integer.toString(this.port));
		environment.put("SERVER_ADDRESS", "127.0.0.1");
		List<String> arguments = new ArrayList<>(ServicesImage.options(Files.readString(Path.of("..", "Dockerfile"))));
		// what Java reads off the limit of a container
		arguments.add("-XX:MaxRAM=" + manifest.limits().memory());
		arguments.addAll(application.arguments());
		this.process = Programs.java(name, folder.resolve(name + ".log"), environment,
				arguments.toArray(String[]::new));
		this.process.start();
		Thread.startVirtualThread(this::watch);
	}

	String name() {
		return this.process.name();
	}

	/** Whether it gets requests, as its kubelet sees it. */
	boolean isReady() {
		return this.ready && !this.terminating;
	}

	boolean isTerminating() {
		return this.terminating;
	}

	/** Whether it was ended without a warning. */
	boolean isEvicted() {
		return this.evicted;
	}

	/** Whether its process has ended, and its kubelet knows. */
	boolean isGone() {
		return this.gone;
	}

	/** What it did that a pod should not; empty when all was well. */
	String complaint() {
		return this.complaint;
	}

	private void watch() {
		try {
			if (await(this.manifest.startup())) {
				Thread liveness = Thread.startVirtualThread(this::watchLiveness);
				Thread readiness = Thread.startVirtualThread(this::watchReadiness);
				while (this.process.isAlive()) {
					Thread.sleep(LOOK);
				}
				liveness.interrupt();
				readiness.interrupt();
				liveness.join();
				readiness.join();
			}
			if (!this.terminating && !this.evicted) {
				this.complaint = "has ended by itself, or did not start";
			}
			this.ready = false;
			this.gone = true;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean await(Probe probe) throws InterruptedException {
		for (int i = 0; i < probe.failures() && this.process.isAlive(); i++) {
			if (succeeds(probe)) {
				return true;
			}
			Thread.sleep(probe.period());
		}
		return false;
	}

	private void watchLiveness() {
		try {
			int failures = 0;
			while (failures < this.manifest.liveness().failures()) {
				failures = succeeds(this.manifest.liveness()) ? 0 : failures + 1;
				Thread.sleep(this.manifest.liveness().period());
			}
			if (!this.evicted) {
				this.complaint = "is not alive";
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void watchReadiness() {
		try {
			int failures = 0;
			while (this.process.isAlive()) {
				failures = succeeds(this.manifest.readiness()) ? 0 : failures + 1;
				this.ready = failures == 0 || (this.ready && failures < this.manifest.readiness().failures());
				Thread.sleep(this.manifest.readiness().period());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private boolean succeeds(Probe probe) throws InterruptedException {
		try {
			int status = HTTP
				.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(this.port, probe.path())))
					.timeout(probe.timeout())
					.build(), BodyHandlers.discarding())
				.statusCode();
			return status >= 200 && status < 400;
		}
		catch (IOException ex) {
			return false;
		}
	}

	/** Tells it to end, and returns at once. */
	void terminate() {
		this.terminating = true;
		Thread.startVirtualThread(() -> {
			try {
				Thread.sleep(this.manifest.preStop());
				if (!this.process.end(this.manifest.grace().minus(this.manifest.preStop()))) {
					this.complaint = "had to be killed after its grace period";
					this.process.kill();
				}
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
	}

	/** Ends it without a warning, as when its node fails. */
	void evict() {
		this.evicted = true;
		this.process.kill();
	}

}
