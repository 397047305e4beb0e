package jobs.contract.resources;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names that resources have in Kafka and MongoDB, also those that follow from others.
 * Two resources with one topic would store each other's documents.
 */
final class NamesInUse {

	private final Map<String, Name> all = new HashMap<>();

	/** Adds those of a resource; throws ResourcesException where one is in use. */
	void add(ResourceEntry entry, Resource resource) {
		for (String name : List.of("topic " + resource.topic(), "topic " + resource.deadLetterTopic(),
				"collection " + resource.collection(), "collection " + resource.deadLetterCollection(),
				"group " + resource.group(), "group " + resource.deadLetterGroup(),
				"group " + resource.group() + "-stored")) {
			Name own = new Name(name, resource.name());
			Name other = this.all.putIfAbsent(own.key(), own);
			if (other != null) {
				throw entry.fault(null, own.isSameAs(other));
			}
		}
	}

	/**
	 * A name in Kafka or MongoDB.
	 *
	 * @param text it, after a word for its kind
	 * @param owner the name of the resource that has it
	 */
	private record Name(String text, String owner) {

		/** Kafka creates no two topics that differ by points and underscores alone. */
		String key() {
			return this.text.startsWith("topic") ? this.text.replace('.', '_') : this.text;
		}

		String isSameAs(Name other) {
			if (other.owner.equals(this.owner)) {
				return "it has the %s for two purposes".formatted(this.text);
			}
			return "it has the same %s as '%s'".formatted(this.text, other.owner)
					+ (other.text.equals(this.text) ? "" : ", whose " + other.text + " is the same to Kafka");
		}

	}

}
