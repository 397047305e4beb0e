package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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

	static final Path OVERLAY = Path.of("..", "deploy", "overlays", "production");

	/** Begins a setting that names a folder, with a file for each setting. */
	static final String TREE = "configtree:";

	private final String service;

	private final Path secrets;

	private final Map<String, String> environment = new HashMap<>();

	/** The folders of the volumes, by the names of these. */
	private final Map<String, Path> volumes = new HashMap<>();

	/** The volumes, by where a container finds them. */
	private final Map<String, String> mounts = new HashMap<>();

	private Production(String service, Path secrets) {
		this.service = service;
		this.secrets = secrets;
	}

	/**
	 * Reads it.
	 * @param service whose container it is
	 * @param secrets a folder with a folder for each secret, and a file in that for each
	 * of its keys; what the container finds as settings is put beside them
	 * @return all variables, those of the base, too
	 */
	static Map<String, String> environment(String service, Path secrets) throws IOException {
		Production production = new Production(service, secrets);
		production.environment.putAll(Manifest.of(service).environment());
		for (String part : List.of("both", service)) {
			production.environment.putAll(variables(part));
			for (Node operation : operations(part)) {
				production.add(operation.text("path"), operation.get("value"));
			}
		}
		production.environment.replaceAll((name, value) -> production.found(value));
		return production.environment;
	}

	/** The variables of a service, or of both. */
	static Map<String, String> variables(String part) throws IOException {
		Map<String, String> variables = new HashMap<>();
		Files.readAllLines(OVERLAY.resolve(part + ".env"))
			.stream()
			.filter((line) -> !line.isBlank() && !line.startsWith("#"))
			.map((line) -> line.split("=", 2))
			.forEach((line) -> variables.put(line[0], line[1]));
		return variables;
	}

	/** What is changed in the base of a service, or of both. */
	static List<Node> operations(String part) throws IOException {
		return new Node(new Yaml().load(Files.readString(OVERLAY.resolve(part + ".yaml")))).list();
	}

	private void add(String path, Node value) throws IOException {
		if (path.endsWith("/volumes/-")) {
			this.volumes.put(value.text("name"), value.map().containsKey("projected") ? files(value.get("projected"))
					: this.secrets.resolve(value.get("secret").text("secretName")));
		}
		else if (path.endsWith("/volumeMounts/-")) {
			this.mounts.put(value.text("mountPath"), value.text("name"));
		}
		else if (!path.endsWith("/httpGet/scheme")) {
			throw new IllegalStateException("Unknown here: " + path);
		}
	}

	/** Keys of secrets in one folder, by the names that the volume gives them. */
	private Path files(Node projected) throws IOException {
		Path folder = Files.createDirectories(this.secrets.resolve(this.service + "-files"));
		for (Node source : projected.list("sources")) {
			Node secret = source.get("secret");
			for (Node item : secret.list("items")) {
				Files.copy(this.secrets.resolve(secret.text("name")).resolve(item.text("key")),
						folder.resolve(item.text("path")), StandardCopyOption.REPLACE_EXISTING);
			}
		}
		return folder;
	}

	/** A path in a volume leads to the folder of that volume. */
	private String found(String value) {
		if (value.startsWith(TREE)) {
			return TREE + folder(Path.of(value.substring(TREE.length()))) + "/";
		}
		if (!value.startsWith("/")) {
			return value;
		}
		Path path = Path.of(value);
		return folder(path.getParent()).resolve(path.getFileName()).toString();
	}

	private Path folder(Path mount) {
		String volume = Objects.requireNonNull(this.mounts.get(mount.toString()), mount.toString());
		return Objects.requireNonNull(this.volumes.get(volume), volume);
	}

}
