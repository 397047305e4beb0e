package jobs.chassis.access;

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
 * @param role the role that is needed; {@code null} where all may
 */
public record AccessRule(Set<String> methods, PathPattern paths, @Nullable String role) {

	/** Lets all use some paths, as Spring's {@code PathPattern} has them. */
	public static AccessRule open(String pattern) {
		return new AccessRule(Set.of(), parse(pattern), null);
	}

	/** Asks for a role where something is read, or asked which methods there are. */
	public static AccessRule reading(String pattern, String role) {
		return new AccessRule(Set.of("GET", "HEAD", "OPTIONS"), parse(pattern), role);
	}

	/** Asks for a role, whatever the method. */
	public static AccessRule of(String pattern, String role) {
		return new AccessRule(Set.of(), parse(pattern), role);
	}

	private static PathPattern parse(String pattern) {
		return PathPatternParser.defaultInstance.parse(pattern);
	}

	boolean isFor(String method) {
		return this.methods.isEmpty() || this.methods.contains(method);
	}

	boolean isOpen() {
		return this.role == null;
	}

	boolean allows(Identity known) {
		return this.role == null || known.roles().contains(this.role);
	}

}
