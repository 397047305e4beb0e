package jobs.chassis.security;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import jobs.chassis.identity.Role;
import org.jspecify.annotations.Nullable;

import org.springframework.http.server.PathContainer;
import org.springframework.http.server.RequestPath;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.authorization.AuthorizationManager;
import org.springframework.security.core.Authentication;

/** What the {@link AccessRule}s of a service allow, and those that all services have. */
public final class AccessRules implements AuthorizationManager<HttpServletRequest> {

	private static final AuthorizationDecision GRANTED = new AuthorizationDecision(true);

	private static final AuthorizationDecision DENIED = new AuthorizationDecision(false);

	private static final List<AccessRule> OF_ALL = List.of(AccessRule.open("/docs"), AccessRule.open("/docs/**"),
			AccessRule.open("/openapi.yaml"), AccessRule.open("/asyncapi.yaml"), AccessRule.open("/job.schema.json"),
			AccessRule.open("/actuator/health"), AccessRule.open("/actuator/health/**"),
			AccessRule.reading("/actuator/**", Role.OPERATIONS_READ),
			AccessRule.of("/actuator/**", Role.OPERATIONS_WRITE));

	private final List<AccessRule> rules;

	/** Takes the rules of a service, before those of all. */
	public AccessRules(AccessRule... ofTheService) {
		this.rules = Stream.concat(Arrays.stream(ofTheService), OF_ALL.stream()).toList();
	}

	@Override
	public AuthorizationDecision authorize(Supplier<? extends @Nullable Authentication> who,
			HttpServletRequest request) {
		AccessRule rule = find(request);
		if (isOpen(rule)) {
			return GRANTED;
		}
		// throws where nobody is known: 401, also for what nobody may
		return has(who.get(), rule) ? GRANTED : DENIED;
	}

	/** Whether all may send a request. */
	boolean isOpen(HttpServletRequest request) {
		return isOpen(find(request));
	}

	/** Whether somebody may send a request that is not open. */
	boolean may(Authentication known, HttpServletRequest request) {
		return has(known, find(request));
	}

	private static boolean isOpen(@Nullable AccessRule rule) {
		return rule != null && rule.role() == null;
	}

	private static boolean has(@Nullable Authentication known, @Nullable AccessRule rule) {
		Role role = (rule != null) ? rule.role() : null;
		return known != null && role != null
				&& known.getAuthorities().stream().anyMatch((one) -> role.text().equals(one.getAuthority()));
	}

	/** The role that a request needs, if any role is enough. */
	Optional<Role> role(HttpServletRequest request) {
		return Optional.ofNullable(find(request)).map(AccessRule::role);
	}

	private @Nullable AccessRule find(HttpServletRequest request) {
		if (leadsElsewhere(request)) {
			return null;
		}
		for (AccessRule rule : this.rules) {
			if (rule.fits(request)) {
				return rule;
			}
		}
		return null;
	}

	/**
	 * Whether Tomcat serves another path than the rules see: it decodes a path before it
	 * follows the dots in it.
	 */
	private static boolean leadsElsewhere(HttpServletRequest request) {
		String path = request.getRequestURI();
		if (path.indexOf('.') < 0 && path.indexOf('%') < 0) {
			return false;
		}
		return RequestPath.parse(path, request.getContextPath())
			.elements()
			.stream()
			.anyMatch((element) -> element instanceof PathContainer.PathSegment segment
					&& (segment.valueToMatch().equals(".") || segment.valueToMatch().equals("..")));
	}

}
