package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * What a cluster is told about a service.
 *
 * @param name of the service
 * @param environment of its container, config map included
 * @param memory the bytes that its container may have
 * @param replicas how many pods there are
 * @param surge how many more there may be while they are replaced
 * @param unavailable how many fewer may be ready meanwhile
 * @param preStop how long a pod goes on once it is told to end
 * @param grace how long it has to end, from then on
 * @param startup asked until it succeeds for the first time
 * @param liveness asked from then on; a pod that fails it starts again
 * @param readiness asked from then on; a pod that fails it gets no requests
 */
record Manifest(String name, Map<String, String> environment, long memory, int replicas, int surge, int unavailable,
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
		String memory = container.get("resources").get("limits").text("memory");
		return new Manifest(name, environment, Long.parseLong(memory.replaceFirst("Mi$", "")) * MEBIBYTE,
				spec.number("replicas"), update.number("maxSurge"), update.number("maxUnavailable"),
				container.get("lifecycle").get("preStop").get("sleep").seconds("seconds"),
				pod.seconds("terminationGracePeriodSeconds"), Probe.of(container.get("startupProbe")),
				Probe.of(container.get("livenessProbe")), Probe.of(container.get("readinessProbe")));
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
