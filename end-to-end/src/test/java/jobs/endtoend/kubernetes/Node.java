package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;

import org.yaml.snakeyaml.Yaml;

/** A part of a YAML document. */
record Node(Object value) {

	/** The documents of one kind in a file. */
	static List<Node> read(Path file, String kind) throws IOException {
		return StreamSupport.stream(new Yaml().loadAll(Files.readString(file)).spliterator(), false)
			.map(Node::new)
			.filter((node) -> node.text("kind").equals(kind))
			.toList();
	}

	Node get(String name) {
		return new Node(Objects.requireNonNull(map().get(name), name));
	}

	String text(String name) {
		return get(name).value().toString();
	}

	int number(String name) {
		return Integer.parseInt(text(name));
	}

	boolean flag(String name) {
		return Boolean.parseBoolean(text(name));
	}

	Duration seconds(String name) {
		return Duration.ofSeconds(number(name));
	}

	List<Node> list(String name) {
		return get(name).list();
	}

	List<Node> list() {
		return ((List<?>) this.value).stream().map((one) -> new Node((Object) one)).toList();
	}

	List<String> texts(String name) {
		return list(name).stream().map((one) -> one.value().toString()).toList();
	}

	/** Lays a patch over this: named entries of a list over those of one name. */
	Node merge(Node patch) {
		if (this.value instanceof Map<?, ?> && patch.value instanceof Map<?, ?>) {
			Map<String, Object> all = new LinkedHashMap<>(map());
			patch.map()
				.forEach((name, over) -> all.merge(name, over,
						(one, other) -> new Node(one).merge(new Node(other)).value()));
			return new Node(all);
		}
		if (this.value instanceof List<?> list && patch.value instanceof List<?> others) {
			Map<Object, Object> named = new LinkedHashMap<>();
			list.forEach((one) -> named.put(name(one), one));
			others.forEach((over) -> named.merge(name(over), over,
					(one, other) -> new Node(one).merge(new Node(other)).value()));
			return new Node(new ArrayList<>(named.values()));
		}
		return patch;
	}

	private static Object name(Object entry) {
		return (entry instanceof Map<?, ?> map && map.get("name") instanceof String name) ? name : entry;
	}

	@SuppressWarnings("unchecked")
	Map<String, Object> map() {
		return (Map<String, Object>) this.value;
	}

}
