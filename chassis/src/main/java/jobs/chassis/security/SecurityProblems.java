package jobs.chassis.security;

import java.io.IOException;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.Problem;
import jobs.chassis.identity.Role;

import org.springframework.http.HttpHeaders;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.oauth2.core.OAuth2AuthenticationException;
import org.springframework.security.web.AuthenticationEntryPoint;
import org.springframework.security.web.access.AccessDeniedHandler;
import org.springframework.security.web.authentication.AuthenticationFailureHandler;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.RequestRejectedHandler;

/**
 * Answers whoever may not: 401 and 403 with {@code WWW-Authenticate} (RFC 6750), and 503
 * where nobody can tell who it is.
 */
final class SecurityProblems
		implements AuthenticationEntryPoint, AuthenticationFailureHandler, AccessDeniedHandler, RequestRejectedHandler {

	private final AccessRules rules;

	SecurityProblems(AccessRules rules) {
		this.rules = rules;
	}

	@Override
	public void commence(HttpServletRequest request, HttpServletResponse response, AuthenticationException failure)
			throws IOException {
		if (failure instanceof AuthenticationServiceException) {
			Problem.unavailable(String.valueOf(failure.getMessage())).writeTo(response);
			return;
		}
		boolean isOfTheToken = failure instanceof OAuth2AuthenticationException;
		response.setHeader(HttpHeaders.WWW_AUTHENTICATE, isOfTheToken ? "Bearer error=\"invalid_token\"" : "Bearer");
		Problem
			.of(HttpServletResponse.SC_UNAUTHORIZED,
					isOfTheToken ? failure.getMessage()
							: "This needs an API key or a token, in the header Authorization: Bearer ...")
			.writeTo(response);
	}

	@Override
	public void onAuthenticationFailure(HttpServletRequest request, HttpServletResponse response,
			AuthenticationException failure) throws IOException {
		commence(request, response, failure);
	}

	@Override
	public void handle(HttpServletRequest request, HttpServletResponse response, AccessDeniedException failure)
			throws IOException {
		String role = this.rules.role(request).map(Role::text).orElse(null);
		response.setHeader(HttpHeaders.WWW_AUTHENTICATE,
				"Bearer error=\"insufficient_scope\"" + ((role != null) ? ", scope=\"%s\"".formatted(role) : ""));
		Problem
			.of(HttpServletResponse.SC_FORBIDDEN,
					(role != null) ? "This needs the role " + role : "Nobody may use this path")
			.writeTo(response);
	}

	@Override
	public void handle(HttpServletRequest request, HttpServletResponse response, RequestRejectedException failure)
			throws IOException {
		Problem.of(HttpServletResponse.SC_BAD_REQUEST, "The path or a header is malformed").writeTo(response);
	}

}
