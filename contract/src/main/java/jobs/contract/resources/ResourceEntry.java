package jobs.contract.resources;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What a file says of one resource, with the places where it does.
 *
 * @param file where it stands, or {@code null} where no file is
 * @param place the line and column of the name, in words
 * @param values a list with the values of each key
 * @param places the line and column of the value of each key, in words
 */
record ResourceEntry(@Nullable Path file, String name, String place, Map<String, List<String>> values,
		Map<String, String> places) {

	/** A resource of which no file says anything. */
	static ResourceEntry absent(String name) {
		return new ResourceEntry(null, name, "", Map.of(), Map.of());
	}

	/** The only value of a key, or {@code null} where the key does not stand there. */
	@Nullable String one(String key) {
		List<String> all = this.values.get(key);
		if (all == null) {
			return null;
		}
		if (all.size() != 1) {
			throw fault(key, "it has one value, and no list");
		}
		return all.getFirst();
	}

	/** The values of a key, or {@code null} where it does not stand there. */
	@Nullable List<String> list(String key) {
		return this.values.get(key);
	}

	/** One of two values; where none is given, the first. */
	String choice(String key, String usual, String other) {
		String value = Objects.requireNonNullElse(one(key), usual);
		if (!value.equals(usual) && !value.equals(other)) {
			throw fault(key, "'%s' must be %s or %s".formatted(value, usual, other));
		}
		return value;
	}

	/** A file in the folder of the one that names it. */
	Path inFolder(String name) {
		Path file = (name.indexOf('\0') < 0) ? Path.of(name) : null;
		if (file == null || file.isAbsolute() || file.normalize().startsWith("..")) {
			throw fault("contract", "'%s' is no file in the folder of this file".formatted(name));
		}
		return Objects.requireNonNull(this.file).resolveSibling(file);
	}

	/** What is wrong with a key or, for {@code null}, with the resource. */
	ResourcesException fault(@Nullable String key, String reason) {
		if (this.file == null) {
			return new ResourcesException(
					"%sthe resource '%s': %s".formatted((key != null) ? key + " of " : "", this.name, reason));
		}
		String place = (key != null) ? this.places.getOrDefault(key, "set by a variable") : this.place;
		return new ResourcesException("%s, %s: resource '%s'%s: %s".formatted(this.file, place, this.name,
				(key != null) ? ", " + key : "", reason));
	}

}
