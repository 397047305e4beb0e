package jobs.kafkatomongo.console;

import java.net.URI;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Where people log in for the console (OAuth 2, authorization code with PKCE). The issuer
 * is that of the JWTs.
 *
 * @param clientId how the issuer knows the console; without it nobody logs in
 * @param clientSecret the secret of that client, where it has one
 * @param authorizationUri where a browser is sent
 * @param tokenUri where a code becomes a token
 * @param scopes what is asked for; the roles that the console needs where none is named
 */
@ConfigurationProperties("jobs.security.login")
record LoginSettings(String clientId, @Nullable String clientSecret, @Nullable URI authorizationUri,
		@Nullable URI tokenUri, @DefaultValue Set<String> scopes) {

	private static final Set<String> OF_THE_CONSOLE = Set.of("operations:read", "jobs:read", "dead-letters:read",
			"dead-letters:operate");

	LoginSettings {
		if (authorizationUri == null || tokenUri == null) {
			throw new IllegalStateException("jobs.security.login.client-id is set: set authorization-uri and token-uri "
					+ "beside it, as the issuer's configuration has them");
		}
		scopes = scopes.isEmpty() ? OF_THE_CONSOLE : scopes;
		if (scopes.contains("openid")) {
			throw new IllegalStateException(
					"jobs.security.login.scopes may not have openid: who logs in is known by the access token");
		}
	}

}
