package jobs.contract.resources;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import jobs.contract.Contract;
import jobs.contract.ContractException;
import jobs.contract.ContractSettings;
import jobs.contract.Sha256;
import org.jspecify.annotations.Nullable;

/**
 * All resources of a pair: those of a file, or {@code jobs} alone.
 *
 * @param all the resources, in the order of the file
 * @param isFile whether a file names them
 */
public record Resources(List<Resource> all, boolean isFile) {

	/** The most resources of a pair. */
	public static final int MAX_RESOURCES = 16;

	/** First parts of paths, and of roles, that the services have for themselves. */
	private static final Set<String> RESERVED = Set.of("actuator", "console", "contracts", "dead-letters", "docs",
			"error", "login", "oauth2", "logout", "next", "operations");

	/** Parameters of a list that select no field. */
	private static final Set<String> PARAMETERS = Set.of("/id", "/limit", "/after");

	/** The most fields of a list, each with an index, and the most contracts. */
	private static final int MAX_ELEMENTS = 16;

	private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,39}");

	private static final Pattern TOPIC = Pattern.compile("(?!\\.{1,2}$|__)[a-zA-Z0-9._-]{1,249}");

	private static final Pattern COLLECTION = Pattern.compile("(?!system\\.)[^$\\x00]{1,200}");

	private static final Pattern SIZE = Pattern.compile("(\\d{1,9})(B|KB|MB)?");

	private static final Pattern POINTER = Pattern.compile("(?!/_)(/[^/~.$]+)+");

	/**
	 * Reads the resources of a file, given as a path or as {@code file:} with a path, or
	 * {@code jobs} where none is given. Throws as {@link #read} does.
	 */
	public static Resources load(@Nullable String location, ResourceSettings settings) {
		if (location == null) {
			return builtIn(settings);
		}
		String path = location.replaceFirst("^file:(//(?=/))?", "");
		if (path.isBlank() || path.matches("(?i)[a-z]{2,}:.*")) {
			throw new ResourcesException(
					"jobs.resources is '%s': it must be the path of a file, as file:/config/resources.yaml"
						.formatted(location));
		}
		try {
			return read(Path.of(path), settings);
		}
		catch (InvalidPathException ex) {
			throw new ResourcesException("jobs.resources is '%s', which no path can be".formatted(location));
		}
	}

	/**
	 * The resource {@code jobs} by itself, with the contract of this build. Throws
	 * ResourcesException where the settings give one name to two things: a dead letter in
	 * the topic of the jobs would be read as a job, and refused again for ever.
	 */
	public static Resources builtIn(ResourceSettings settings) {
		return new Resources(resources(List.of(ResourceEntry.absent(Resource.JOBS)), settings), false);
	}

	/**
	 * Reads the file that names the resources. Contracts are files of its folder. Throws
	 * ResourcesException with line, column and reason where something in it, or a
	 * contract, is not understood.
	 */
	public static Resources read(Path file, ResourceSettings settings) {
		List<ResourceEntry> entries = ResourceFile.read(file);
		if (entries.isEmpty() || entries.size() > MAX_RESOURCES) {
			throw new ResourcesException(
					"%s names %d resources; a pair has 1 to %d".formatted(file, entries.size(), MAX_RESOURCES));
		}
		requireNamesForVariables(entries);
		return new Resources(resources(entries, settings), true);
	}

	private static List<Resource> resources(List<ResourceEntry> entries, ResourceSettings settings) {
		List<Resource> all = new ArrayList<>();
		NamesInUse names = new NamesInUse();
		for (ResourceEntry entry : entries) {
			Resource one = resource(entry, settings);
			names.add(entry, one);
			all.add(one);
		}
		return List.copyOf(all);
	}

	private static Resource resource(ResourceEntry entry, ResourceSettings settings) {
		String name = entry.name();
		if (!NAME.matcher(name).matches() || RESERVED.contains(name)) {
			throw entry.fault(null,
					"a resource has a name of a to z, 0 to 9 and -, which begins with a letter and has up to 40 characters, and is no path of the services: %s"
						.formatted(RESERVED.stream().sorted().toList()));
		}
		boolean isJobs = name.equals(Resource.JOBS);
		Values values = new Values(entry, settings);
		List<String> findBy = values.list("find-by", POINTER, isJobs ? List.of("/company") : List.of());
		if (findBy.stream().anyMatch(PARAMETERS::contains)) {
			throw entry.fault("find-by", "id, limit and after are parameters of every list, and find no field");
		}
		String topic = values.one("topic", TOPIC, isJobs ? "jobs-topic1" : name);
		String collection = values.one("collection", COLLECTION, name);
		List<Contract> contracts = contracts(entry);
		KeyFields keys = new KeyFields(values.pointer("id"), values.pointer("version"), values.pointer("expires"));
		if (isJobs && "/id".equals(keys.id())) {
			throw entry.fault("id", "jobs have no field id of their own; give the resource another name");
		}
		keys.require(entry, contracts);
		return new Resource(name, contracts, digest(contracts, keys, values.ownSize()), keys, findBy,
				values.list("list", POINTER,
						isJobs ? List.of("/title", "/company") : findBy.stream().limit(4).toList()),
				values.size("max-size", settings.maxSize()), topic,
				values.one("dead-letter-topic", TOPIC, isJobs ? "jobs-topic1-dlt" : topic + "-dlt"), collection,
				values.one("dead-letter-collection", COLLECTION, isJobs ? "deadLetters" : collection + ".deadLetters"),
				values.one("group", null, isJobs ? "group-id-1" : name));
	}

	/** The digest of all that decides on a document, in either service. */
	private static String digest(List<Contract> contracts, KeyFields keys, int ownSize) {
		return Sha256.of(contracts.stream()
			.map((one) -> one.digest() + (one.settings().assertFormats() ? " assert" : " annotate")
					+ (one.settings().backtrackingPatterns() ? " backtracking" : " linear"))
			.collect(Collectors.joining("\n", "", "\n" + ownSize + (keys.areAny() ? "\n" + keys.text() : ""))));
	}

	private static List<Contract> contracts(ResourceEntry entry) {
		List<String> files = entry.list("contract");
		if (files == null || files.isEmpty()) {
			if (entry.name().equals(Resource.JOBS)) {
				for (String key : List.of("formats", "patterns")) {
					if (entry.one(key) != null) {
						throw entry.fault(key, "it says how a 'contract' is read, and this resource names none");
					}
				}
				return List.of(Contract.load());
			}
			throw entry.fault(null, "it has no contract: name a file of this folder with a JSON Schema");
		}
		if (files.size() > MAX_ELEMENTS) {
			throw entry.fault("contract", "it names more than %d files".formatted(MAX_ELEMENTS));
		}
		boolean asserts = entry.choice("formats", "assert", "annotate").equals("assert");
		boolean backtracks = entry.choice("patterns", "linear", "backtracking").equals("backtracking");
		ContractSettings settings = new ContractSettings(asserts, backtracks, !entry.name().equals(Resource.JOBS));
		return files.stream().map((file) -> contract(entry, file, settings)).toList();
	}

	private static Contract contract(ResourceEntry entry, String file, ContractSettings settings) {
		try {
			return Contract.of(entry.inFolder(file), settings);
		}
		catch (ContractException ex) {
			throw entry.fault("contract", String.valueOf(ex.getMessage()));
		}
	}

	/** Whether there is another one, which each leaves a share of what all need. */
	public boolean areSeveral() {
		return this.all.size() > 1;
	}

	/**
	 * The label of a resource's metrics, as name and value; none where no file names
	 * resources.
	 */
	public String[] labels(Resource resource) {
		return this.isFile ? new String[] { "resource", resource.name() } : new String[0];
	}

	/** The names of all resources. */
	public List<String> names() {
		return this.all.stream().map(Resource::name).toList();
	}

	/** A variable has no hyphens. */
	private static void requireNamesForVariables(List<ResourceEntry> entries) {
		Set<String> seen = new HashSet<>();
		entries.forEach((entry) -> {
			if (!seen.add(entry.name().replace("-", ""))) {
				throw entry.fault(null, "another resource has this name but for hyphens");
			}
		});
	}

	/** The resource with a name, or {@code null}. */
	public @Nullable Resource find(String name) {
		return this.all.stream().filter((one) -> one.name().equals(name)).findFirst().orElse(null);
	}

	/** The values of one resource: those of the settings win over those of the file. */
	private record Values(ResourceEntry entry, ResourceSettings settings) {

		String one(String key, @Nullable Pattern form, String otherwise) {
			String value = text(key);
			if (value == null) {
				return otherwise;
			}
			// what version 1.0 took of the jobs is taken without a file
			Pattern asked = (this.entry.file() != null) ? form : null;
			if (value.isBlank() || (asked != null && !asked.matcher(value).matches())) {
				throw fault(key, "'%s' can't be its %s".formatted(value, key));
			}
			return value;
		}

		@Nullable String pointer(String key) {
			String value = text(key);
			if (value != null && !POINTER.matcher(value).matches()) {
				throw fault(key, "'%s' is no JSON Pointer to a field, such as /orderNumber".formatted(value));
			}
			return value;
		}

		private @Nullable String text(String key) {
			String value = this.settings.get(this.entry.name(), key);
			return (value != null) ? value : this.entry.one(key);
		}

		List<String> list(String key, Pattern form, List<String> otherwise) {
			String value = this.settings.get(this.entry.name(), key);
			List<String> values = (value != null) ? List.of(value.split("\\s*,\\s*")) : this.entry.list(key);
			if (values == null) {
				return otherwise;
			}
			for (String one : values) {
				if (!form.matcher(one).matches()) {
					throw fault(key, "'%s' is no JSON Pointer to a field, such as /customer".formatted(one));
				}
			}
			if (Set.copyOf(values).size() < values.size()) {
				throw fault(key, "a field stands there twice");
			}
			if (values.size() > MAX_ELEMENTS) {
				throw fault(key, "it names more than %d fields".formatted(MAX_ELEMENTS));
			}
			return values;
		}

		/**
		 * The {@code max-size} that both services are told, or 0 where they are told
		 * none: then each has a setting of its own.
		 */
		int ownSize() {
			String value = this.settings.ofBoth(this.entry.name(), "max-size");
			String size = (value != null) ? value : this.entry.one("max-size");
			return (size != null) ? bytes("max-size", size) : 0;
		}

		int size(String key, String otherwise) {
			return bytes(key, one(key, null, otherwise));
		}

		private int bytes(String key, String value) {
			var size = SIZE.matcher(value);
			long bytes = size.matches() ? Long.parseLong(size.group(1)) * factor(size.group(2)) : -1;
			int most = (this.entry.file() != null) ? 16 * 1024 * 1024 : Integer.MAX_VALUE;
			if (bytes < 1 || bytes > most) {
				throw fault(key, "'%s' is no size from 1B to 16MB".formatted(value));
			}
			return (int) bytes;
		}

		private ResourcesException fault(String key, String reason) {
			return (this.settings.get(this.entry.name(), key) != null)
					? new ResourcesException(
							"A variable sets %s of the resource '%s': %s".formatted(key, this.entry.name(), reason))
					: this.entry.fault(key, reason);
		}

		private static int factor(@Nullable String unit) {
			return "MB".equals(unit) ? 1024 * 1024 : "KB".equals(unit) ? 1024 : 1;
		}

	}

}
