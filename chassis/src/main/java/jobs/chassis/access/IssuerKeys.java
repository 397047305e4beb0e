package jobs.chassis.access;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.RemoteKeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.JSONObjectUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;

/**
 * The public keys of an issuer, fetched beside the requests: an issuer that hangs holds
 * up none. The last keys stay valid while it does not answer.
 */
final class IssuerKeys implements JWKSource<SecurityContext> {

	private static final Logger logger = LoggerFactory.getLogger(IssuerKeys.class);

	/** Bytes of an answer of the issuer; beyond: it is no answer. */
	private static final int MAX_ANSWER = 256 * 1024;

	/** The longest time for one answer of the issuer. */
	private static final Duration ANSWER_TIME = Duration.ofSeconds(3);

	/** How long keys are good before they are fetched again. */
	private static final Duration FRESH = Duration.ofMinutes(5);

	/** The shortest time between two fetches, once there are keys. */
	private static final Duration PAUSE = Duration.ofSeconds(5);

	/** Keys that were missed and are remembered; the least used go first. */
	private static final int MISSED = 10_000;

	/** Bits of an RSA key, as RFC 7518 asks for. */
	private static final int RSA_BITS = 2048;

	private final JwtSettings settings;

	private final Runnable onChange;

	private final HttpClient http = HttpClient.newBuilder()
		.connectTimeout(ANSWER_TIME)
		.followRedirects(HttpClient.Redirect.NEVER)
		.build();

	private volatile @Nullable JWKSet keys;

	/** When the last fetch began that brought keys. */
	private volatile long known;

	/** Whether a token has named a key that is unknown since the last fetch began. */
	private volatile boolean wanted;

	/** When the last fetch began, or ended. */
	private volatile long tried = System.nanoTime() - FRESH.toNanos();

	/** When each key was missed first; a further miss after a while is a first one. */
	private final Cache<String, Long> missed = Caffeine.newBuilder()
		.maximumSize(MISSED)
		.expireAfterWrite(FRESH)
		.build();

	private boolean failing;

	/** Runs {@code onChange} where the issuer has other keys than before. */
	IssuerKeys(JwtSettings settings, Runnable onChange) {
		this.settings = settings;
		this.onChange = onChange;
	}

	/**
	 * Throws RemoteKeySourceException while there are no keys, and for a key that is
	 * missing until the issuer was asked once more: it may have that key by now.
	 */
	@Override
	public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context) throws KeySourceException {
		JWKSet keys = this.keys;
		if (keys == null) {
			throw new RemoteKeySourceException("The issuer does not tell its keys", null);
		}
		List<JWK> found = selector.select(keys);
		if (found.isEmpty() && this.missed.get(key(selector), (any) -> System.nanoTime()) - this.known > 0) {
			this.wanted = true;
			throw new RemoteKeySourceException("The key is unknown yet", null);
		}
		// the others came while these were looked through
		return (found.isEmpty() && keys != this.keys) ? get(selector, context) : found;
	}

	private static String key(JWKSelector selector) {
		return String.valueOf(selector.getMatcher().getKeyIDs());
	}

	/** Fetches the keys when they are old, unknown, or missed by a token. */
	void refresh() {
		Duration pause = (this.wanted || this.failing) ? PAUSE : FRESH;
		long age = System.nanoTime() - this.tried;
		if (this.keys != null && age < pause.toNanos()) {
			return;
		}
		this.wanted = false;
		this.tried = System.nanoTime();
		fetch();
		this.tried = System.nanoTime();
	}

	private void fetch() {
		try {
			long began = System.nanoTime();
			JWKSet fetched = withoutWeak(JWKSet.parse(answer(place())));
			JWKSet before = this.keys;
			this.keys = fetched;
			this.known = began;
			if (before != null && !before.toJSONObject().equals(fetched.toJSONObject())) {
				this.onChange.run();
			}
			if (this.failing || before == null) {
				logger.atInfo()
					.addKeyValue("issuer", this.settings.issuer())
					.addKeyValue("keys", fetched.size())
					.log("The issuer of the tokens has told its keys");
			}
			this.failing = false;
		}
		catch (IOException | ParseException | IllegalArgumentException ex) {
			if (!this.failing) {
				logger.atWarn()
					.addKeyValue("issuer", this.settings.issuer())
					.log("The issuer of the tokens does not tell its keys: {}",
							NestedExceptionUtils.getMostSpecificCause(ex).toString());
			}
			this.failing = true;
		}
	}

	/** The same keys but RSA keys that somebody may break. */
	private JWKSet withoutWeak(JWKSet told) {
		List<JWK> strong = told.getKeys()
			.stream()
			.filter((key) -> !(key instanceof RSAKey) || key.size() >= RSA_BITS)
			.toList();
		if (strong.size() < told.size() && this.keys == null) {
			logger.atWarn()
				.addKeyValue("issuer", this.settings.issuer())
				.log("The issuer of the tokens has RSA keys below {} bits, which are not taken", RSA_BITS);
		}
		return new JWKSet(strong);
	}

	private URI place() throws IOException, ParseException {
		if (this.settings.jwkSetUri() != null) {
			return this.settings.jwkSetUri();
		}
		String issuer = this.settings.issuer();
		Map<String, Object> configuration = JSONObjectUtils
			.parse(answer(URI.create(issuer.replaceFirst("/$", "") + "/.well-known/openid-configuration")));
		if (!issuer.equals(configuration.get("issuer"))) {
			throw new IOException("Its configuration names another issuer than " + issuer);
		}
		URI place = URI.create(String.valueOf(configuration.get("jwks_uri")));
		if (issuer.startsWith("https:") && !"https".equals(place.getScheme())) {
			throw new IOException("Its keys are not at an https address: " + place);
		}
		return place;
	}

	private String answer(URI place) throws IOException {
		CompletableFuture<HttpResponse<String>> answer = this.http.sendAsync(
				HttpRequest.newBuilder(place).timeout(ANSWER_TIME).build(),
				BodyHandlers.limiting(BodyHandlers.ofString(), MAX_ANSWER));
		try {
			HttpResponse<String> response = answer.get(ANSWER_TIME.toMillis(), TimeUnit.MILLISECONDS);
			if (response.statusCode() != 200) {
				throw new IOException("%s answers with %d".formatted(place, response.statusCode()));
			}
			return response.body();
		}
		catch (TimeoutException ex) {
			answer.cancel(true);
			throw new IOException("%s does not answer".formatted(place), ex);
		}
		catch (ExecutionException ex) {
			throw new IOException("%s does not answer".formatted(place), ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

}
