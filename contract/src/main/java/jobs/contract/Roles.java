package jobs.contract;

import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The roles of those who use the documents of a resource in either service. The services
 * share one file of keys, and so these names. The chassis has the roles of operators.
 *
 * @param write posts documents
 * @param read reads stored documents
 * @param delete deletes documents, where they have versions
 * @param erase erases documents, with their dead letters
 * @param readDeadLetters reads dead letters
 * @param operateDeadLetters replays, corrects and discards dead letters
 */
public record Roles(String write, String read, String delete, String erase, String readDeadLetters,
		String operateDeadLetters) {

	/** Stands in a role for every resource. */
	public static final String ANY = "*";

	/** The roles for a resource, or for {@link #ANY}. */
	public static Roles of(String resource) {
		// those of version 1.0 name no resource
		String deadLetters = resource.equals("jobs") ? "dead-letters" : resource + ":dead-letters";
		return new Roles(resource + ":write", resource + ":read", resource + ":delete", resource + ":erase",
				deadLetters + ":read", deadLetters + ":operate");
	}

	/** The roles for each of some resources and for {@link #ANY}. */
	public static Set<String> all(Collection<String> resources) {
		return Stream.concat(resources.stream(), Stream.of(ANY))
			.map(Roles::of)
			.flatMap((roles) -> Stream.of(roles.write, roles.read, roles.delete, roles.erase, roles.readDeadLetters,
					roles.operateDeadLetters))
			.collect(Collectors.toUnmodifiableSet());
	}

}
