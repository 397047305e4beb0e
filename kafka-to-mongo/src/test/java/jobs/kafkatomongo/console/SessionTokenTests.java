package jobs.kafkatomongo.console;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.MockHttpSession;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClient;
import org.springframework.security.oauth2.client.registration.ClientRegistration;
import org.springframework.security.oauth2.core.AuthorizationGrantType;
import org.springframework.security.oauth2.core.OAuth2AccessToken;

import static org.assertj.core.api.Assertions.assertThat;

class SessionTokenTests {

	private final MockHttpServletRequest request = new MockHttpServletRequest();

	private String idWithToken;

	/** Whoever has planted the session could else use it in the moment between. */
	@Test
	void givesTheSessionAnotherIdBeforeItHasTheToken() {
		String planted = session().getId();

		save();

		assertThat(this.idWithToken).isNotNull().isNotEqualTo(planted);
		assertThat(LoginConfiguration.SessionToken.of(session())).isEqualTo("a-token");
	}

	@Test
	void forgetsTheTokenOfWhoLogsOut() {
		save();

		new LoginConfiguration.SessionToken().removeAuthorizedClient("console",
				new TestingAuthenticationToken("ann", ""), this.request, new MockHttpServletResponse());

		assertThat(LoginConfiguration.SessionToken.of(session())).isNull();
	}

	private MockHttpSession session() {
		if (this.request.getSession(false) == null) {
			this.request.setSession(new MockHttpSession() {

				@Override
				public void setAttribute(String name, Object value) {
					SessionTokenTests.this.idWithToken = getId();
					super.setAttribute(name, value);
				}

			});
		}
		return (MockHttpSession) this.request.getSession();
	}

	private void save() {
		session();
		ClientRegistration client = ClientRegistration.withRegistrationId("console")
			.clientId("console")
			.authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
			.authorizationUri("http://localhost/authorize")
			.tokenUri("http://localhost/token")
			.redirectUri("http://localhost/")
			.build();
		Instant now = Instant.now();
		OAuth2AccessToken token = new OAuth2AccessToken(OAuth2AccessToken.TokenType.BEARER, "a-token", now,
				now.plusSeconds(60));
		new LoginConfiguration.SessionToken().saveAuthorizedClient(new OAuth2AuthorizedClient(client, "ann", token),
				new TestingAuthenticationToken("ann", ""), this.request, new MockHttpServletResponse());
	}

}
