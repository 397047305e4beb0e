package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;

import jobs.endtoend.pair.Application;

/**
 * The pods of a service, replaced as Kubernetes does it: with as many more, and as many
 * fewer that are ready, as the manifest allows.
 */
final class Deployment implements AutoCloseable {

	private static final Duration LIMIT = Duration.ofMinutes(4);

	private final Manifest manifest;

	private final Path folder;

	private final Map<String, String> overlay;

	private Application application;

	private final List<Pod> pods = new CopyOnWriteArrayList<>();

	/** Those of the settings that count now. */
	private List<Pod> current = List.of();

	Deployment(Manifest manifest, Path folder, Map<String, String> overlay) {
		this.manifest = manifest;
		this.folder = folder;
		this.overlay = new HashMap<>(overlay);
		this.application = Application.of(manifest.name());
	}

	/** Those that may get requests. */
	List<Pod> ready() {
		return this.pods.stream().filter(Pod::isReady).toList();
	}

	/** How many there have been. */
	int made() {
		return this.pods.size();
	}

	/** What pods did that they should not. */
	Stream<String> complaints() {
		return this.pods.stream()
			.filter((pod) -> !pod.complaint().isEmpty())
			.map((pod) -> pod.name() + " " + pod.complaint());
	}

	/**
	 * Replaces all pods by those of another version, as {@link #rollOut(Map)} does.
	 * @param checkout where that version was built
	 */
	void rollOut(Path checkout) throws IOException, InterruptedException {
		this.application = Application.of(checkout, this.manifest.name());
		rollOut(Map.of());
	}

	/**
	 * Replaces all pods, and returns when the new ones are ready and the old ones gone.
	 * @param changes of the settings
	 */
	void rollOut(Map<String, String> changes) throws IOException, InterruptedException {
		this.overlay.putAll(changes);
		List<Pod> old = new ArrayList<>(this.current);
		this.current = new CopyOnWriteArrayList<>();
		awaitReady(old);
	}

	/** Ends one pod without a warning, and waits until another has taken its place. */
	void evictOne() throws IOException, InterruptedException {
		Pod pod = this.current.getFirst();
		pod.evict();
		while (!pod.isGone()) {
			Thread.sleep(200);
		}
		awaitReady(new ArrayList<>());
	}

	private void awaitReady(List<Pod> old) throws IOException, InterruptedException {
		long start = System.nanoTime();
		while (!isDone(old)) {
			if (System.nanoTime() - start > LIMIT.toNanos()) {
				throw new AssertionError(
						"The pods of %s are not ready: %s".formatted(this.manifest.name(), complaints().toList()));
			}
			this.current.removeIf(Pod::isGone);
			old.removeIf(Predicate.not(this::isThere));
			while (this.current.size() < this.manifest.replicas()
					&& this.current.size() + old.size() < this.manifest.replicas() + this.manifest.surge()) {
				Pod pod = new Pod(this.manifest, this.application,
						"%s-pod-%d".formatted(this.manifest.name(), this.pods.size()), this.folder, this.overlay);
				this.pods.add(pod);
				this.current.add(pod);
			}
			while (!old.isEmpty() && ready().size() > this.manifest.replicas() - this.manifest.unavailable()) {
				old.removeFirst().terminate();
			}
			Thread.sleep(200);
		}
	}

	private boolean isThere(Pod pod) {
		return !pod.isGone() && !pod.isTerminating();
	}

	private boolean isDone(List<Pod> old) {
		return old.isEmpty() && this.current.size() == this.manifest.replicas()
				&& this.current.stream().allMatch(Pod::isReady)
				&& this.pods.stream().allMatch((pod) -> pod.isGone() || this.current.contains(pod));
	}

	@Override
	public void close() {
		this.pods.stream().filter(Predicate.not(Pod::isGone)).forEach(Pod::evict);
	}

}
