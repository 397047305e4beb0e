package jobs.chassis.access;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * The role that is needed for some paths of a service. The first rule that fits a request
 * decides, and what fits none is forbidden.
 *
 * @param methods the methods; none for all
 * @param paths the paths
 * @param roles the roles of which one is needed, the usual one first; none where all may
 */
public record AccessRule(Set<String> methods, PathPattern paths, List<String> roles) {

	/** Lets all use some paths, as Spring's {@code PathPattern} has them. */
	public static AccessRule open(String pattern) {
		return new AccessRule(Set.of(), parse(pattern), List.of());
	}

	/**
	 * Asks for one of some roles where something is read, or asked which methods there
	 * are.
	 */
	public static AccessRule reading(String pattern, String... roles) {
		return new AccessRule(Set.of("GET", "HEAD", "OPTIONS"), parse(pattern), List.of(roles));
	}

	/** Asks for one of some roles where something is posted. */
	public static AccessRule posting(String pattern, String... roles) {
		return new AccessRule(Set.of("POST"), parse(pattern), List.of(roles));
	}

	/** Asks for one of some roles where something is deleted. */
	public static AccessRule deleting(String pattern, String... roles) {
		return new AccessRule(Set.of("DELETE"), parse(pattern), List.of(roles));
	}

	/** Asks for one of some roles, whatever the method. */
	public static AccessRule of(String pattern, String... roles) {
		return new AccessRule(Set.of(), parse(pattern), List.of(roles));
	}

	private static PathPattern parse(String pattern) {
		return PathPatternParser.defaultInstance.parse(pattern);
	}

	boolean isFor(String method) {
		return this.methods.isEmpty() || this.methods.contains(method);
	}

	/** The usual role that is needed, or {@code null} where all may. */
	@Nullable String role() {
		return isOpen() ? null : this.roles.getFirst();
	}

	boolean isOpen() {
		return this.roles.isEmpty();
	}

	boolean allows(Identity known) {
		return isOpen() || known.roles().stream().anyMatch(this.roles::contains);
	}

}
