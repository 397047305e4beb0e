package jobs.chassis.identity;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.server.resource.InvalidBearerTokenException;
import org.springframework.security.oauth2.server.resource.authentication.BearerTokenAuthenticationToken;
import org.springframework.security.web.authentication.AuthenticationConverter;

/**
 * Finds who sent a request by its {@code Authorization: Bearer} header alone, with an API
 * key or a JWT. A token in a URL would stand in logs.
 */
public final class BearerTokens implements AuthenticationConverter, AuthenticationManager {

	private static final String SCHEME = "Bearer ";

	private final @Nullable ApiKeys keys;

	private final @Nullable Jwts jwts;

	BearerTokens(@Nullable ApiKeys keys, @Nullable Jwts jwts) {
		this.keys = keys;
		this.jwts = jwts;
	}

	/**
	 * Takes the token out of a request, or returns {@code null} where it has none, as
	 * with another scheme. Throws InvalidBearerTokenException where there are several.
	 */
	@Override
	public @Nullable Authentication convert(HttpServletRequest request) {
		String found = null;
		for (String header : Collections.list(request.getHeaders("Authorization"))) {
			if (header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
				if (found != null) {
					throw new InvalidBearerTokenException("There are several tokens");
				}
				found = header.substring(SCHEME.length()).strip();
			}
		}
		return (found != null && !found.isEmpty()) ? new BearerTokenAuthenticationToken(found) : null;
	}

	/**
	 * Throws InvalidBearerTokenException for a token that is not valid, and
	 * AuthenticationServiceException where nobody can tell.
	 */
	@Override
	public Authentication authenticate(Authentication request) {
		String token = ((BearerTokenAuthenticationToken) request).getToken();
		if (this.keys != null && token.startsWith(ApiKey.PREFIX)) {
			return this.keys.authenticate(digest(token));
		}
		if (this.jwts != null) {
			return this.jwts.authenticate(token, digest(token));
		}
		throw new InvalidBearerTokenException("The token is no API key");
	}

	/**
	 * The SHA-256 of a key or token, as 64 hexadecimal digits. It stands in its place
	 * wherever one is kept.
	 */
	static String digest(String token) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.SECONDS)
	void readKeys() {
		if (this.keys != null) {
			this.keys.look();
		}
	}

	@Scheduled(fixedDelay = 1, timeUnit = TimeUnit.SECONDS)
	void fetchIssuerKeys() {
		if (this.jwts != null) {
			this.jwts.look();
		}
	}

}
