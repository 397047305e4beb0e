package jobs.chassis.access;

import java.io.IOException;
import java.security.Principal;
import java.util.EnumSet;
import java.util.function.Supplier;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.Problem;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.util.function.SingletonSupplier;

/**
 * Lets a request through if its sender may. It is one filter, since the six of Spring
 * Security's chain take half of what a document costs.
 */
final class AccessFilter implements Filter {

	/** Comes before all filters of a service. */
	static final int ORDER = -100;

	private final Credentials credentials;

	private final AccessRules rules;

	AccessFilter(Credentials credentials, AccessRules rules) {
		this.credentials = credentials;
		this.rules = rules;
	}

	/** Registers a filter for each request of a port. */
	static FilterRegistrationBean<AccessFilter> registration(Credentials credentials, AccessRules rules) {
		FilterRegistrationBean<AccessFilter> registration = new FilterRegistrationBean<>(
				new AccessFilter(credentials, rules));
		registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
		registration.setOrder(ORDER);
		return registration;
	}

	@Override
	public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
			throws IOException, ServletException {
		HttpServletRequest asked = (HttpServletRequest) request;
		HttpServletResponse answer = (HttpServletResponse) response;
		AccessRule rule = this.rules.find(asked);
		if (rule != null && rule.isOpen()) {
			chain.doFilter(new RequestOfUser(asked, SingletonSupplier.of(() -> guess(asked))), response);
			return;
		}
		// no cache keeps what a key has opened, and no browser guesses what it is
		answer.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
		answer.setHeader("X-Content-Type-Options", "nosniff");
		Identity known;
		try {
			known = this.credentials.identify(asked);
		}
		catch (AuthenticationException ex) {
			AccessProblems.refuse(ex, answer);
			return;
		}
		if (known == null) {
			AccessProblems.ask(answer);
		}
		else if (rule == null || !rule.allows(known)) {
			AccessProblems.forbid(rule, answer);
		}
		else {
			Recheck.prepare(asked, this.credentials, rule);
			chain.doFilter(new RequestOfUser(asked, () -> known), response);
		}
	}

	/** Where all may, nobody is turned away for a key or token that is not valid. */
	private @Nullable Identity guess(HttpServletRequest request) {
		try {
			return this.credentials.identify(request);
		}
		catch (AuthenticationException ex) {
			return null;
		}
	}

	/** A request that tells who sent it, to those who ask. */
	private static final class RequestOfUser extends HttpServletRequestWrapper {

		private final Supplier<@Nullable Identity> user;

		private RequestOfUser(HttpServletRequest request, Supplier<@Nullable Identity> user) {
			super(request);
			this.user = user;
		}

		@Override
		public @Nullable Principal getUserPrincipal() {
			return this.user.get();
		}

		@Override
		public @Nullable String getRemoteUser() {
			Identity known = this.user.get();
			return (known != null) ? known.name() : null;
		}

		@Override
		public boolean isUserInRole(String role) {
			Identity known = this.user.get();
			return known != null && known.roles().contains(role);
		}

	}

	/**
	 * Answers whoever may not: 401 and 403 with {@code WWW-Authenticate} (RFC 6750), and
	 * 503 where nobody can tell who it is.
	 */
	private static final class AccessProblems {

		private AccessProblems() {
		}

		/** Answers a request that does not tell who sends it. */
		static void ask(HttpServletResponse response) throws IOException {
			response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
			Problem
				.of(HttpServletResponse.SC_UNAUTHORIZED,
						"This needs an API key or a token, in the header Authorization: Bearer ...")
				.writeTo(response);
		}

		/**
		 * Answers a request whose key or token is not valid, or can't be verified now.
		 */
		static void refuse(AuthenticationException failure, HttpServletResponse response) throws IOException {
			if (failure instanceof AuthenticationServiceException) {
				Problem.unavailable(String.valueOf(failure.getMessage())).writeTo(response);
				return;
			}
			response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer error=\"invalid_token\"");
			Problem.of(HttpServletResponse.SC_UNAUTHORIZED, failure.getMessage()).writeTo(response);
		}

		/** Answers a request whose sender is known. */
		static void forbid(@Nullable AccessRule rule, HttpServletResponse response) throws IOException {
			String role = (rule != null) ? rule.role() : null;
			response.setHeader(HttpHeaders.WWW_AUTHENTICATE,
					"Bearer error=\"insufficient_scope\"" + ((role != null) ? ", scope=\"%s\"".formatted(role) : ""));
			Problem
				.of(HttpServletResponse.SC_FORBIDDEN,
						(role != null) ? "This needs the role " + role : "Nobody may use this path")
				.writeTo(response);
		}

	}

}
