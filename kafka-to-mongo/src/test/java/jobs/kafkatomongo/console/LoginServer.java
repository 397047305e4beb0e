package jobs.kafkatomongo.console;

import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;

import com.sun.net.httpserver.HttpExchange;
import jobs.testkit.Issuer;

/**
 * An issuer at which whoever comes is logged in as Ann at once: it sends browsers back
 * with a code, and gives a token for it to who knows what the code began with (PKCE).
 */
final class LoginServer implements AutoCloseable {

	private final Issuer issuer = new Issuer();

	/** The tokens' audience. */
	volatile String audience = Issuer.AUDIENCE;

	/** Whether it answers who asks for a token. */
	volatile boolean hangs;

	private volatile String challenge = "";

	LoginServer() {
		this.issuer.serve("/authorize", this::authorize);
		this.issuer.serve("/token", this::token);
	}

	URI uri() {
		return this.issuer.uri();
	}

	private void authorize(HttpExchange exchange) throws IOException {
		Map<String, String> asked = parameters(exchange.getRequestURI().getRawQuery());
		this.challenge = asked.getOrDefault("code_challenge", "");
		exchange.getResponseHeaders()
			.add("Location", "%s?code=a-code&state=%s".formatted(asked.get("redirect_uri"),
					asked.get("state").replace("=", "%3D")));
		exchange.sendResponseHeaders(302, -1);
		exchange.close();
	}

	private void token(HttpExchange exchange) throws IOException {
		if (this.hangs) {
			return;
		}
		Map<String, String> asked = parameters(
				new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
		boolean isKnown = "a-code".equals(asked.get("code"))
				&& this.challenge.equals(challenge(asked.getOrDefault("code_verifier", "")));
		exchange.getResponseHeaders().add("Content-Type", "application/json");
		if (isKnown) {
			Issuer.answer(exchange,
					"{\"access_token\":\"%s\",\"token_type\":\"Bearer\",\"expires_in\":3600}".formatted(accessToken()));
		}
		else {
			exchange.sendResponseHeaders(400, -1);
			exchange.close();
		}
	}

	private static String challenge(String verifier) {
		try {
			return Base64.getUrlEncoder()
				.withoutPadding()
				.encodeToString(
						MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private String accessToken() {
		return this.issuer.token("operations:read dead-letters:operate", (claims) -> claims.audience(this.audience));
	}

	private static Map<String, String> parameters(String form) {
		return Arrays.stream(form.split("&"))
			.map((pair) -> pair.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
	}

	@Override
	public void close() {
		this.issuer.close();
	}

}
