package jobs.chassis.security;

import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;
import jobs.chassis.identity.Role;
import org.jspecify.annotations.Nullable;

import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/**
 * Who may use some paths of a service. The first rule that fits a request decides, and
 * what fits none is forbidden.
 *
 * @param methods the methods; none for all
 * @param paths the paths
 * @param role the role that is needed; {@code null} where all may
 */
public record AccessRule(Set<String> methods, PathPatternRequestMatcher paths, @Nullable Role role) {

	/** Lets all use some paths, as Spring's {@code PathPattern} has them. */
	public static AccessRule open(String pattern) {
		return new AccessRule(Set.of(), PathPatternRequestMatcher.pathPattern(pattern), null);
	}

	/** Asks for a role where something is read. */
	public static AccessRule reading(String pattern, Role role) {
		return new AccessRule(Set.of("GET", "HEAD"), PathPatternRequestMatcher.pathPattern(pattern), role);
	}

	/** Asks for a role, whatever the method. */
	public static AccessRule of(String pattern, Role role) {
		return new AccessRule(Set.of(), PathPatternRequestMatcher.pathPattern(pattern), role);
	}

	boolean fits(HttpServletRequest request) {
		return (this.methods.isEmpty() || this.methods.contains(request.getMethod())) && this.paths.matches(request);
	}

}
