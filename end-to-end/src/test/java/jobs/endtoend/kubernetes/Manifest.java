package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a cluster is told about a service.
 *
 * @param name of the service
 * @param environment of its container, config map included
 * @param limits what its container may have and do
 * @param replicas how many pods there are
 * @param surge how many more there may be while they are replaced
 * @param unavailable how many fewer may be ready meanwhile
 * @param preStop how long a pod goes on once it is told to end
 * @param grace how long it has to end, from then on
 * @param startup asked until it succeeds for the first time
 * @param liveness asked from then on; a pod that fails it starts again
 * @param readiness asked from then on; a pod that fails it gets no requests
 */
record Manifest(String name, Map<String, String> environment, Limits limits, int replicas, int surge, int unavailable,
		Duration preStop, Duration grace, Probe startup, Probe liveness, Probe readiness) {

	private static final Path BASE = Path.of("..", "deploy", "base");

	private static final long MEBIBYTE = 1024 * 1024;

	/** Reads the base, as Kustomize does. */
	static Manifest of(String name) throws IOException {
		Node deployment = Node.read(BASE.resolve(name + ".yaml"), "Deployment")
			.getFirst()
			.merge(Node.read(BASE.resolve("pods.yaml"), "Deployment").getFirst());
		Node spec = deployment.get("spec");
		Node update = spec.get("strategy").get("rollingUpdate");
		Node pod = spec.get("template").get("spec");
		Node container = pod.list("containers").getFirst();
		Map<String, String> environment = new HashMap<>();
		container.list("env").forEach((one) -> environment.put(one.text("name"), one.text("value")));
		Node.read(BASE.resolve("kustomization.yaml"), "Kustomization")
			.getFirst()
			.list("configMapGenerator")
			.stream()
			.filter((map) -> map.text("name").equals(name))
			.flatMap((map) -> map.texts("literals").stream())
			.map((literal) -> literal.split("=", 2))
			.forEach((literal) -> environment.put(literal[0], literal[1]));
		return new Manifest(name, environment, Limits.of(pod, container), spec.number("replicas"),
				update.number("maxSurge"), update.number("maxUnavailable"),
				container.get("lifecycle").get("preStop").get("sleep").seconds("seconds"),
				pod.seconds("terminationGracePeriodSeconds"), Probe.of(container.get("startupProbe")),
				Probe.of(container.get("livenessProbe")), Probe.of(container.get("readinessProbe")));
	}

	/**
	 * What a container may have and do. Its files are read-only, but for one folder.
	 *
	 * @param memory in bytes
	 * @param user as whom it runs, and in which group
	 * @param scratch the folder that it may write
	 * @param scratchSize the bytes that this folder may have
	 * @param dropped the capabilities that it does not have
	 * @param gaining whether it may get more rights than it began with
	 */
	record Limits(long memory, String user, String scratch, long scratchSize, List<String> dropped, boolean gaining) {

		static Limits of(Node pod, Node container) {
			Node user = pod.get("securityContext");
			Node rights = container.get("securityContext");
			if (!rights.flag("readOnlyRootFilesystem")) {
				throw new IllegalStateException("The files of a container are not read-only");
			}
			return new Limits(bytes(container.get("resources").get("limits").text("memory")),
					user.text("runAsUser") + ":" + user.text("runAsGroup"),
					container.list("volumeMounts").getFirst().text("mountPath"),
					bytes(pod.list("volumes").getFirst().get("emptyDir").text("sizeLimit")),
					rights.get("capabilities").texts("drop"), rights.flag("allowPrivilegeEscalation"));
		}

		private static long bytes(String size) {
			return Long.parseLong(size.replaceFirst("Mi$", "")) * MEBIBYTE;
		}

		/** The same for {@code docker run}. */
		List<String> options() {
			List<String> options = new ArrayList<>(List.of("--read-only", "--tmpfs",
					"%s:exec,size=%d".formatted(this.scratch, this.scratchSize), "--user", this.user, "--memory",
					Long.toString(this.memory), "--security-opt", "no-new-privileges:" + !this.gaining));
			this.dropped.forEach((capability) -> options.addAll(List.of("--cap-drop", capability)));
			return options;
		}

	}

	/**
	 * How a container is asked how it is.
	 *
	 * @param path of the question
	 * @param period from one question to the next
	 * @param timeout the longest wait for an answer
	 * @param failures so many, one after the other, mean no
	 */
	record Probe(String path, Duration period, Duration timeout, int failures) {

		static Probe of(Node probe) {
			return new Probe(probe.get("httpGet").text("path"), probe.seconds("periodSeconds"),
					probe.seconds("timeoutSeconds"), probe.number("failureThreshold"));
		}

	}

}
