package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.yaml.snakeyaml.Yaml;

/**
 * The environment that {@code overlays/production} gives a container, read as Kustomize
 * does it, with secrets as a cluster shows them.
 */
final class Production {

	private static final Path OVERLAY = Path.of("..", "deploy", "overlays", "production");

	private final Path secrets;

	private final Map<String, String> environment = new HashMap<>();

	/** The secrets of the volumes, by the names of these. */
	private final Map<String, String> volumes = new HashMap<>();

	/** The volumes, by where a container finds them. */
	private final Map<String, String> mounts = new HashMap<>();

	private Production(Path secrets) {
		this.secrets = secrets;
	}

	/**
	 * Reads it.
	 * @param service whose container it is
	 * @param secrets a folder with a folder for each secret, and a file in that for each
	 * of its keys
	 * @return all variables, those of the base, too
	 */
	static Map<String, String> environment(String service, Path secrets) throws IOException {
		Production production = new Production(secrets);
		production.environment.putAll(Manifest.of(service).environment());
		for (String part : List.of("both", service)) {
			Files.readAllLines(OVERLAY.resolve(part + ".env"))
				.stream()
				.filter((line) -> !line.isBlank() && !line.startsWith("#"))
				.map((line) -> line.split("=", 2))
				.forEach((line) -> production.environment.put(line[0], line[1]));
			for (Node operation : new Node(new Yaml().load(Files.readString(OVERLAY.resolve(part + ".yaml")))).list()) {
				production.add(operation.text("path"), operation.get("value"));
			}
		}
		production.environment.replaceAll((name, value) -> production.found(value));
		return production.environment;
	}

	private void add(String path, Node value) throws IOException {
		if (path.endsWith("/volumes/-")) {
			this.volumes.put(value.text("name"), value.get("secret").text("secretName"));
		}
		else if (path.endsWith("/volumeMounts/-")) {
			this.mounts.put(value.text("mountPath"), value.text("name"));
		}
		else if (path.endsWith("/env/-")) {
			Node key = value.get("valueFrom").get("secretKeyRef");
			this.environment.put(value.text("name"),
					Files.readString(this.secrets.resolve(key.text("name")).resolve(key.text("key"))));
		}
		else if (!path.endsWith("/httpGet/scheme")) {
			throw new IllegalStateException("Unknown here: " + path);
		}
	}

	/** A path in a volume leads to the secret of that volume. */
	private String found(String value) {
		if (!value.startsWith("/")) {
			return value;
		}
		Path path = Path.of(value);
		String volume = Objects.requireNonNull(this.mounts.get(path.getParent().toString()), value);
		String secret = Objects.requireNonNull(this.volumes.get(volume), volume);
		return this.secrets.resolve(secret).resolve(path.getFileName()).toString();
	}

}
