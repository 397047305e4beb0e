package jobs.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

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
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;

/** An issuer of tokens on a port of this machine. */
public final class Issuer implements AutoCloseable {

	/** For whom the tokens are. */
	public static final String AUDIENCE = "jobs";

	/** How often it was asked for its keys. */
	public final AtomicInteger asked = new AtomicInteger();

	private final HttpServer server;

	private volatile RSAKey key = newKey("first");

	/** What it does when asked for its keys. */
	private volatile Answer answer = Answer.KEYS;

	public Issuer() {
		try {
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
		serve("/.well-known/openid-configuration",
				(exchange) -> answer(exchange, "{\"issuer\":\"%1$s\",\"jwks_uri\":\"%1$s/keys\"}".formatted(uri())));
		serve("/keys", (exchange) -> {
			this.asked.incrementAndGet();
			switch (this.answer) {
				case KEYS -> answer(exchange, new JWKSet(this.key.toPublicJWK()).toString());
				case HUGE -> answer(exchange, " ".repeat(10_000_000));
				case NONE -> {
				}
				default -> exchange.close();
			}
		});
		this.server.start();
	}

	public URI uri() {
		return URI.create("http://127.0.0.1:" + this.server.getAddress().getPort());
	}

	/** Answers from now on so, when asked for the keys. */
	public void answer(Answer answer) {
		this.answer = answer;
	}

	/** Signs with another key from now on, and tells of no other. */
	public void changeKey(String id) {
		this.key = newKey(id);
	}

	/** Tells of another key from now on, and of no other. */
	public void changeKey(RSAKey key) {
		this.key = key;
	}

	public RSAKey key() {
		return this.key;
	}

	/** A token that is valid for an hour, unless {@code change} makes it another. */
	public String token(String roles, Consumer<JWTClaimsSet.Builder> change) {
		return sign(this.key, claims(roles, change));
	}

	public JWTClaimsSet claims(String roles, Consumer<JWTClaimsSet.Builder> change) {
		Instant now = Instant.now();
		JWTClaimsSet.Builder claims = new JWTClaimsSet.Builder().issuer(uri().toString())
			.audience(List.of("others", AUDIENCE))
			.subject("ann")
			.issueTime(Date.from(now))
			.expirationTime(Date.from(now.plus(Duration.ofHours(1))))
			.claim("scope", roles);
		change.accept(claims);
		return claims.build();
	}

	public static String sign(RSAKey key, JWTClaimsSet claims) {
		try {
			SignedJWT token = new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
					claims);
			token.sign(new RSASSASigner(key));
			return token.serialize();
		}
		catch (JOSEException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public static RSAKey newKey(String id) {
		try {
			return new RSAKeyGenerator(2048).keyID(id).generate();
		}
		catch (JOSEException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Answers more paths than an issuer of tokens has. */
	public void serve(String path, HttpHandler handler) {
		this.server.createContext(path, handler);
	}

	/** Answers with 200 and a text. */
	public static void answer(HttpExchange exchange, String text) throws IOException {
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

	/** What an issuer may do when asked for its keys. */
	public enum Answer {

		/** Tells them. */
		KEYS,

		/** Takes the request, and never answers. */
		NONE,

		/** Sends 10 MB. */
		HUGE,

		/** Closes the connection. */
		CUT

	}

}
