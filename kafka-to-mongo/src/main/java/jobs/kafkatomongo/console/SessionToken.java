package jobs.kafkatomongo.console;

import java.time.Duration;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import jobs.chassis.access.Credentials;
import org.jspecify.annotations.Nullable;

import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.web.OAuth2AuthorizedClientRepository;

/**
 * Keeps the access token of who logs in with their session, where it counts for each
 * request as one that a machine brings: until it ends, or the issuer has other keys.
 */
final class SessionToken implements OAuth2AuthorizedClientRepository {

	/** How long a session lasts without a request, once somebody has logged in. */
	private static final Duration IDLE = Duration.ofMinutes(30);

	@Override
	public <T extends OAuth2AuthorizedClient> @Nullable T loadAuthorizedClient(String client, Authentication user,
			HttpServletRequest request) {
		return null;
	}

	@Override
	public void saveAuthorizedClient(OAuth2AuthorizedClient client, Authentication user, HttpServletRequest request,
			HttpServletResponse response) {
		// whoever has planted the session must not have it for a moment
		HttpSession session = request.getSession();
		request.changeSessionId();
		session.setAttribute(Credentials.SESSION_TOKEN, client.getAccessToken().getTokenValue());
		session.setMaxInactiveInterval(Math.toIntExact(IDLE.toSeconds()));
	}

	@Override
	public void removeAuthorizedClient(String client, Authentication user, HttpServletRequest request,
			HttpServletResponse response) {
		HttpSession session = request.getSession(false);
		if (session != null) {
			session.removeAttribute(Credentials.SESSION_TOKEN);
		}
	}

}
