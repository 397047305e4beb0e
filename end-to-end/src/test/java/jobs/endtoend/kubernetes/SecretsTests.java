package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Secrets reach a container as files alone. A variable shows in each child process, and
 * in whatever describes a process.
 */
class SecretsTests {

	private static final Path DEPLOY = Path.of("..", "deploy");

	private static final Pattern SECRET = Pattern.compile("(?i).*(JAAS|PASSWORD|SECRET|TOKEN|CREDENTIAL)[^=]*=.*");

	private static final Pattern LOGIN = Pattern.compile(".*://[^/]*@.*");

	@Test
	void givesNoContainerASecretAsAVariable() throws IOException {
		List<Path> files = files(".yaml");
		assertThat(files).hasSizeGreaterThan(10);
		for (Path file : files) {
			Set<String> keys = new HashSet<>();
			new Yaml().loadAll(Files.readString(file)).forEach((document) -> collect(document, keys));
			assertThat(keys).as("%s", file).doesNotContain("secretKeyRef", "secretRef");
		}
	}

	@Test
	void writesNoSecretIntoAConfigMap() throws IOException {
		List<String> settings = new ArrayList<>();
		for (Path file : files(".env")) {
			settings.addAll(Files.readAllLines(file));
		}
		for (Path file : files("kustomization.yaml")) {
			Map<String, Object> kustomization = new Yaml().load(Files.readString(file));
			if (kustomization.containsKey("configMapGenerator")) {
				new Node(kustomization).list("configMapGenerator")
					.stream()
					.filter((map) -> map.map().containsKey("literals"))
					.forEach((map) -> settings.addAll(map.texts("literals")));
			}
		}

		assertThat(settings).hasSizeGreaterThan(10)
			.noneMatch((setting) -> SECRET.matcher(setting).matches() || LOGIN.matcher(setting).matches());
	}

	/** A file of another name would be no setting, and nobody would miss it. */
	@ParameterizedTest
	@CsvSource({ "rest-to-kafka, spring.kafka.properties.sasl.jaas.config",
			"kafka-to-mongo, spring.kafka.properties.sasl.jaas.config spring.mongodb.uri" })
	void namesEachFileAsItsSetting(String service, String settings) throws IOException {
		Node volume = value(service, "/volumes/-", "secrets").get("projected");

		assertThat(volume.list("sources").stream().flatMap((source) -> source.get("secret").list("items").stream()))
			.extracting((item) -> item.text("path"))
			.containsExactly(settings.split(" "));
		// the group of the pod reads them, and nobody else
		assertThat(volume.number("defaultMode")).isEqualTo(0440);
	}

	@Test
	void readsTheFolderInWhichTheyAre() throws IOException {
		Node mount = value("both", "/volumeMounts/-", "secrets");

		assertThat(mount.flag("readOnly")).isTrue();
		assertThat(Production.variables("both")).containsEntry("SPRING_CONFIG_IMPORT",
				Production.TREE + mount.text("mountPath") + "/");
	}

	private static Node value(String part, String path, String name) throws IOException {
		return Production.operations(part)
			.stream()
			.filter((operation) -> operation.text("path").endsWith(path))
			.map((operation) -> operation.get("value"))
			.filter((value) -> value.text("name").equals(name))
			.findFirst()
			.orElseThrow();
	}

	private static void collect(Object value, Set<String> keys) {
		if (value instanceof Map<?, ?> map) {
			map.forEach((key, part) -> {
				keys.add(key.toString());
				collect(part, keys);
			});
		}
		else if (value instanceof List<?> list) {
			list.forEach((part) -> collect(part, keys));
		}
	}

	private static List<Path> files(String ending) throws IOException {
		try (Stream<Path> files = Files.walk(DEPLOY)) {
			return files.filter((file) -> file.toString().endsWith(ending)).sorted().toList();
		}
	}

}
