package jobs.kafkatomongo.login;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * An issuer at which whoever comes is logged in as Ann at once: it sends browsers back
 * with a code, and gives a token for it to who knows what the code began with (PKCE).
 */
final class LoginServer implements AutoCloseable {

	private final HttpServer server;

	private final RSAKey key;

	/** The tokens' audience. */
	volatile String audience = "jobs";

	/** Whether it answers who asks for a token. */
	volatile boolean hangs;

	private volatile String challenge = "";

	LoginServer() {
		try {
			this.key = new RSAKeyGenerator(2048).keyID("one").generate();
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (JOSEException ex) {
			throw new IllegalStateException(ex);
		}
		this.server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
		this.server.createContext("/.well-known/openid-configuration",
				(exchange) -> answer(exchange, "{\"issuer\":\"%1$s\",\"jwks_uri\":\"%1$s/keys\"}".formatted(uri())));
		this.server.createContext("/keys",
				(exchange) -> answer(exchange, new JWKSet(this.key.toPublicJWK()).toString()));
		this.server.createContext("/authorize", this::authorize);
		this.server.createContext("/token", this::token);
		this.server.start();
	}

	URI uri() {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort());
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
			answer(exchange,
					"{\"access_token\":\"%s\",\"token_type\":\"Bearer\",\"expires_in\":3600}".formatted(sign()));
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

	private String sign() {
		try {
			Instant now = Instant.now();
			SignedJWT token = new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("one").build(),
					new JWTClaimsSet.Builder().issuer(uri().toString())
						.audience(this.audience)
						.subject("ann")
						.expirationTime(Date.from(now.plus(Duration.ofHours(1))))
						.claim("scope", "operations:read dead-letters:operate")
						.build());
			token.sign(new RSASSASigner(this.key));
			return token.serialize();
		}
		catch (JOSEException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Map<String, String> parameters(String form) {
		return Arrays.stream(form.split("&"))
			.map((pair) -> pair.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> URLDecoder.decode(pair[1], StandardCharsets.UTF_8)));
	}

	private static void answer(HttpExchange exchange, String text) throws IOException {
		byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
		exchange.sendResponseHeaders(200, bytes.length);
		try (exchange) {
			exchange.getResponseBody().write(bytes);
		}
	}

	@Override
	public void close() {
		this.server.stop(0);
	}

}
