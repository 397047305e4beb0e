package jobs.contract.resources;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import jobs.contract.Utf8;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads {@code resources.yaml} as a tree with places, so that each fault has a line and a
 * column.
 */
final class ResourceFile {

	/** The most bytes of the file. */
	private static final int MAX_BYTES = 256 * 1024;

	/** The keys of a resource; {@code resources.schema.json} tells editors the same. */
	static final Set<String> KEYS = Set.of("contract", "formats", "patterns", "id", "version", "expires", "find-by",
			"list", "max-size", "topic", "dead-letter-topic", "collection", "dead-letter-collection", "group");

	private final Path file;

	private ResourceFile(Path file) {
		this.file = file;
	}

	/** Reads the entries in their order; throws ResourcesException. */
	static List<ResourceEntry> read(Path file) {
		return new ResourceFile(file.toAbsolutePath()).entries();
	}

	private List<ResourceEntry> entries() {
		Node root = parse();
		if (root == null) {
			throw new ResourcesException("%s is empty; it begins with 'resources:'".formatted(this.file));
		}
		Map<String, Node> top = mapping(root, Set.of("resources"), "the file");
		List<ResourceEntry> entries = new ArrayList<>();
		Node resources = top.get("resources");
		if (resources == null) {
			throw fault(root, "the file has no 'resources'");
		}
		for (NodeTuple one : tuples(resources, "'resources'")) {
			entries.add(entry(one));
		}
		return entries;
	}

	private ResourceEntry entry(NodeTuple one) {
		String name = scalar(one.getKeyNode(), "the name of a resource");
		Map<String, List<String>> values = new HashMap<>();
		Map<String, String> places = new HashMap<>();
		if (!isNull(one.getValueNode())) {
			mapping(one.getValueNode(), KEYS, "'%s'".formatted(name)).forEach((key, value) -> {
				values.put(key, texts(value, "'%s' of '%s'".formatted(key, name)));
				places.put(key, place(value.getStartMark()));
			});
		}
		return new ResourceEntry(this.file, name, place(one.getKeyNode().getStartMark()), values, places);
	}

	private Node parse() {
		LoaderOptions bounds = new LoaderOptions();
		bounds.setCodePointLimit(MAX_BYTES);
		bounds.setMaxAliasesForCollections(0);
		bounds.setNestingDepthLimit(10);
		try {
			if (!Files.isRegularFile(this.file)) {
				throw new ResourcesException("%s is no file".formatted(this.file));
			}
			if (Files.size(this.file) > MAX_BYTES) {
				throw new ResourcesException("%s is larger than %d bytes".formatted(this.file, MAX_BYTES));
			}
			String text = Utf8.decode(Files.readAllBytes(this.file));
			if (text == null) {
				throw new ResourcesException("%s is no UTF-8".formatted(this.file));
			}
			return new Yaml(bounds).compose(new StringReader(text));
		}
		catch (MarkedYAMLException ex) {
			Mark mark = ex.getProblemMark();
			throw new ResourcesException("%s, %s: this is no YAML: %s".formatted(this.file,
					(mark != null) ? place(mark) : "line 1", ex.getProblem()));
		}
		catch (YAMLException ex) {
			throw new ResourcesException("%s is no YAML: %s".formatted(this.file, ex.getMessage()));
		}
		catch (IOException ex) {
			throw new ResourcesException("%s can't be read: %s".formatted(this.file, ex));
		}
	}

	private Map<String, Node> mapping(Node node, Set<String> known, String what) {
		Map<String, Node> values = new HashMap<>();
		for (NodeTuple one : tuples(node, what)) {
			String key = scalar(one.getKeyNode(), "a key of " + what);
			if (!known.contains(key)) {
				throw fault(one.getKeyNode(),
						"%s has no key '%s'; it may have %s".formatted(what, key, new TreeSet<>(known)));
			}
			values.put(key, one.getValueNode());
		}
		return values;
	}

	private List<NodeTuple> tuples(Node node, String what) {
		if (!(node instanceof MappingNode mapping)) {
			throw fault(node, "%s must have keys with values".formatted(what));
		}
		Set<String> seen = new LinkedHashSet<>();
		for (NodeTuple one : mapping.getValue()) {
			String key = scalar(one.getKeyNode(), "a key of " + what);
			if (!seen.add(key)) {
				throw fault(one.getKeyNode(), "'%s' stands twice in %s".formatted(key, what));
			}
		}
		return mapping.getValue();
	}

	private List<String> texts(Node node, String what) {
		if (!(node instanceof SequenceNode sequence)) {
			return List.of(scalar(node, what));
		}
		return sequence.getValue().stream().map((one) -> scalar(one, "an element of " + what)).toList();
	}

	private String scalar(Node node, String what) {
		if (!(node instanceof ScalarNode scalar) || isNull(node)) {
			throw fault(node, "%s must be a text".formatted(what));
		}
		return scalar.getValue();
	}

	private static boolean isNull(Node node) {
		return node.getTag().equals(Tag.NULL);
	}

	private ResourcesException fault(Node node, String reason) {
		return new ResourcesException("%s, %s: %s".formatted(this.file, place(node.getStartMark()), reason));
	}

	private static String place(Mark mark) {
		return "line %d, column %d".formatted(mark.getLine() + 1, mark.getColumn() + 1);
	}

}
