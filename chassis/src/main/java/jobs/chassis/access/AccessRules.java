package jobs.chassis.access;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;

/** The {@link AccessRule}s of a service, and those that all services have. */
public final class AccessRules {

	/** Reads metrics, the details of the health, and the figures of operators. */
	public static final String OPERATIONS_READ = "operations:read";

	/** Changes what runs, as by creating a deleted topic anew. */
	public static final String OPERATIONS_WRITE = "operations:write";

	private static final List<AccessRule> OF_ALL = List.of(AccessRule.open("/docs"), AccessRule.open("/docs/**"),
			AccessRule.open("/openapi.yaml"), AccessRule.open("/asyncapi.yaml"), AccessRule.open("/job.schema.json"),
			AccessRule.open("/contracts"), AccessRule.open("/contracts/**"), AccessRule.open("/actuator/health"),
			AccessRule.open("/actuator/health/**"), AccessRule.reading("/actuator/**", OPERATIONS_READ),
			AccessRule.of("/actuator/**", OPERATIONS_WRITE));

	private final List<AccessRule> rules;

	private final Set<String> roles;

	/**
	 * Takes the rules of a service, before those of all.
	 * @param roles what keys and tokens may have beside the roles of operators, also for
	 * other services
	 */
	public AccessRules(Set<String> roles, AccessRule... ofTheService) {
		this.roles = Stream.concat(roles.stream(), Stream.of(OPERATIONS_READ, OPERATIONS_WRITE))
			.collect(Collectors.toUnmodifiableSet());
		this.rules = Stream.concat(Stream.of(ofTheService), OF_ALL.stream()).toList();
	}

	/** All roles that there are. */
	Set<String> roles() {
		return this.roles;
	}

	/**
	 * Finds the rule that decides on a request, or none: nobody may send it then.
	 */
	@Nullable AccessRule find(HttpServletRequest request) {
		String method = request.getMethod();
		AccessRule first = this.rules.getFirst();
		if (first.isFor(method) && request.getPathInfo() == null
				&& first.paths().getPatternString().equals(request.getServletPath())) {
			// a POST to rest-to-kafka, whose first rule it is, needs no parser and no
			// text of its URI
			return first;
		}
		PathContainer path = parse(request.getRequestURI(), request.getContextPath());
		if (path == null || leadsElsewhere(path)) {
			return null;
		}
		for (AccessRule rule : this.rules) {
			if (rule.isFor(method) && rule.paths().matches(path)) {
				return rule;
			}
		}
		return null;
	}

	/** Returns {@code null} for a path that is malformed. */
	private static @Nullable PathContainer parse(String uri, String contextPath) {
		try {
			return RequestPath.parse(uri, contextPath).pathWithinApplication();
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Whether Tomcat serves another path than the rules see: it decodes a path before it
	 * follows the dots in it.
	 */
	private static boolean leadsElsewhere(PathContainer path) {
		return path.elements()
			.stream()
			.anyMatch((element) -> element instanceof PathContainer.PathSegment segment
					&& (segment.valueToMatch().equals(".") || segment.valueToMatch().equals("..")));
	}

}
