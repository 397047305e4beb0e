package jobs.endtoend.pair;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.util.Base64;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

/**
 * An issuer of tokens, which can be away. Whoever sends jobs makes their tokens by
 * itself, so that the services alone miss it.
 */
public final class Issuer implements AutoCloseable {

	/** How long a token holds, and for how long each is used. */
	private static final long LIFE_SECONDS = 60;

	private static final long USE_SECONDS = 20;

	private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

	private final HttpServer server;

	private final KeyPair key;

	private volatile boolean away;

	private volatile Token token = new Token("", 0);

	public Issuer() {
		try {
			KeyPairGenerator keys = KeyPairGenerator.getInstance("RSA");
			keys.initialize(2048);
			this.key = keys.generateKeyPair();
			this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		}
		catch (GeneralSecurityException | IOException ex) {
			throw new IllegalStateException(ex);
		}
		this.server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
		this.server.createContext("/.well-known/openid-configuration",
				(exchange) -> answer(exchange, "{\"issuer\":\"%1$s\",\"jwks_uri\":\"%1$s/keys\"}".formatted(uri())));
		RSAPublicKey shown = (RSAPublicKey) this.key.getPublic();
		this.server.createContext("/keys", (exchange) -> answer(exchange,
				"{\"keys\":[{\"kty\":\"RSA\",\"kid\":\"one\",\"use\":\"sig\",\"alg\":\"RS256\",\"n\":\"%s\",\"e\":\"%s\"}]}"
					.formatted(base64(shown.getModulus()), base64(shown.getPublicExponent()))));
		this.server.start();
	}

	public String uri() {
		return "http://127.0.0.1:" + this.server.getAddress().getPort();
	}

	/** Takes requests from now on and answers none, or answers again. */
	public void away(boolean isAway) {
		this.away = isAway;
	}

	/** A token that holds now, with a role. */
	public String token(String role) {
		long now = System.currentTimeMillis() / 1000;
		Token last = this.token;
		if (now - last.since() < USE_SECONDS) {
			return last.text();
		}
		Token next = new Token(sign(role, now), now);
		this.token = next;
		return next.text();
	}

	private String sign(String role, long now) {
		String claims = "{\"iss\":\"%s\",\"aud\":\"jobs\",\"sub\":\"driver\",\"scope\":\"%s\",\"iat\":%d,\"exp\":%d}"
			.formatted(uri(), role, now, now + LIFE_SECONDS);
		String text = base64("{\"alg\":\"RS256\",\"kid\":\"one\"}") + "." + base64(claims);
		try {
			Signature signature = Signature.getInstance("SHA256withRSA");
			signature.initSign(this.key.getPrivate());
			signature.update(text.getBytes(StandardCharsets.US_ASCII));
			return text + "." + BASE64.encodeToString(signature.sign());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String base64(String text) {
		return BASE64.encodeToString(text.getBytes(StandardCharsets.UTF_8));
	}

	private static String base64(BigInteger number) {
		byte[] bytes = number.toByteArray();
		int sign = (bytes[0] == 0) ? 1 : 0;
		byte[] unsigned = new byte[bytes.length - sign];
		System.arraycopy(bytes, sign, unsigned, 0, unsigned.length);
		return BASE64.encodeToString(unsigned);
	}

	private void answer(HttpExchange exchange, String text) throws IOException {
		while (this.away) {
			try {
				TimeUnit.SECONDS.sleep(1);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return;
			}
		}
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

	private record Token(String text, long since) {
	}

}
