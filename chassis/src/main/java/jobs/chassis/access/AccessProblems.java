package jobs.chassis.access;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.Problem;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpHeaders;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.AuthenticationException;

/**
 * Answers whoever may not: 401 and 403 with {@code WWW-Authenticate} (RFC 6750), and 503
 * where nobody can tell who it is.
 */
final class AccessProblems {

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

	/** Answers a request whose key or token is not valid, or can't be verified now. */
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
		Role role = (rule != null) ? rule.role() : null;
		response.setHeader(HttpHeaders.WWW_AUTHENTICATE, "Bearer error=\"insufficient_scope\""
				+ ((role != null) ? ", scope=\"%s\"".formatted(role.text()) : ""));
		Problem
			.of(HttpServletResponse.SC_FORBIDDEN,
					(role != null) ? "This needs the role " + role.text() : "Nobody may use this path")
			.writeTo(response);
	}

}
