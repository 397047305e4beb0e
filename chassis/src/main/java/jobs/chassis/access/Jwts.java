package jobs.chassis.access;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;

import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.oauth2.core.DelegatingOAuth2TokenValidator;
import org.springframework.security.oauth2.core.OAuth2TokenValidator;
import org.springframework.security.oauth2.jwt.BadJwtException;
import org.springframework.security.oauth2.jwt.Jwt;
import org.springframework.security.oauth2.jwt.JwtClaimNames;
import org.springframework.security.oauth2.jwt.JwtClaimValidator;
import org.springframework.security.oauth2.jwt.JwtDecoder;
import org.springframework.security.oauth2.jwt.JwtException;
import org.springframework.security.oauth2.jwt.JwtIssuerValidator;
import org.springframework.security.oauth2.jwt.JwtTimestampValidator;
import org.springframework.security.oauth2.jwt.JwtTypeValidator;
import org.springframework.security.oauth2.jwt.JwtValidationException;
import org.springframework.security.oauth2.jwt.NimbusJwtDecoder;

/**
 * Finds whose a JWT is. Verifying one costs some 100 us, so those that were verified are
 * kept by their digest until they expire, or the issuer has other keys.
 */
final class Jwts {

	/** Tokens that are kept; the least used go first. */
	private static final int KEPT = 10_000;

	/** The longest wait of a token until it is verified. */
	private static final Duration TURN = Duration.ofMillis(500);

	/** Tokens that wait to be verified. */
	private static final int WAITING = 4096;

	/** Tokens that are verified at once: half of the processors do other work. */
	private static final int AT_ONCE = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

	private static final String TOO_MANY = "Too many tokens are verified at once";

	/** Seconds after which a thread without tokens ends. */
	private static final int IDLE_SECONDS = 60;

	/**
	 * Threads that verify. A permit that requests hand to each other would be in nobody's
	 * use while the next one is woken: a quarter fewer tokens were verified so.
	 */
	private final Executor verifiers = verifiers();

	// what a cache tidies up costs less than to wake a thread for it
	private final Cache<String, Verified> verified = Caffeine.newBuilder()
		.maximumSize(KEPT)
		.executor(Runnable::run)
		.build();

	/** How often the issuer's keys have changed. */
	private final AtomicLong changes = new AtomicLong();

	private final JwtSettings settings;

	/** The roles that count; tokens have others, too. */
	private final Set<String> roles;

	private final Rate limit;

	private final JwtDecoder decoder;

	private final IssuerKeys keys;

	/** Recognises tokens by the settings; their owners have a limit. */
	Jwts(JwtSettings settings, Set<String> roles, Rate limit) {
		this.settings = settings;
		this.roles = roles;
		this.limit = limit;
		this.keys = new IssuerKeys(settings, this::forget);
		this.decoder = decoder(settings, this.keys);
	}

	private static Executor verifiers() {
		ThreadPoolExecutor threads = new ThreadPoolExecutor(AT_ONCE, AT_ONCE, IDLE_SECONDS, TimeUnit.SECONDS,
				new LinkedBlockingQueue<>(WAITING), Thread.ofPlatform().daemon().name("token-verifier-", 0).factory());
		threads.allowCoreThreadTimeOut(true);
		return threads;
	}

	/** Fetches the issuer's keys if that is due. */
	void refresh() {
		this.keys.refresh();
	}

	private void forget() {
		this.changes.incrementAndGet();
		this.verified.invalidateAll();
	}

	private static JwtDecoder decoder(JwtSettings settings, JWKSource<SecurityContext> keys) {
		DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
		JWSVerificationKeySelector<SecurityContext> known = new JWSVerificationKeySelector<>(
				settings.jwsAlgorithms().stream().map(JWSAlgorithm::parse).collect(Collectors.toSet()), keys);
		// nobody need ask this issuer for the keys of another
		processor.setJWTClaimsSetAwareJWSKeySelector(
				(header, claims, context) -> settings.issuer().equals(claims.getIssuer())
						? known.selectJWSKeys(header, context) : List.of());
		// what Spring validates is not validated twice
		processor.setJWSTypeVerifier((type, context) -> {
		});
		processor.setJWTClaimsSetVerifier((claims, context) -> {
		});
		NimbusJwtDecoder decoder = new NimbusJwtDecoder(processor);
		JwtTypeValidator type = new JwtTypeValidator(List.of("JWT", "at+jwt", "application/at+jwt"));
		type.setAllowEmpty(true);
		OAuth2TokenValidator<Jwt> audience = new JwtClaimValidator<Collection<String>>(JwtClaimNames.AUD,
				(found) -> found != null && found.stream().anyMatch(settings.audiences()::contains));
		decoder.setJwtValidator(new DelegatingOAuth2TokenValidator<>(
				List.of(new JwtIssuerValidator(settings.issuer()), type, new JwtTimestampValidator(),
						new JwtClaimValidator<>(JwtClaimNames.EXP, Objects::nonNull), audience)));
		return decoder;
	}

	/**
	 * Finds whose token it is. Throws BadCredentialsException for one that is not valid,
	 * and AuthenticationServiceException where nobody can tell.
	 */
	Identity identify(String token, String digest) {
		Verified known = this.verified.getIfPresent(digest);
		if (known != null && Instant.now().isBefore(known.expires())) {
			return known.identity();
		}
		long before = this.changes.get();
		Verified verified = verify(token);
		this.verified.put(digest, verified);
		if (this.changes.get() != before) {
			// it may have been verified by a key that is gone
			this.verified.invalidate(digest);
		}
		return verified.identity();
	}

	private Verified verify(String token) {
		long start = System.nanoTime();
		try {
			// without a time: who verifies looks at it, and to wait with one costs more
			return CompletableFuture.supplyAsync(() -> decode(token, start), this.verifiers).get();
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof RuntimeException cause) {
				throw cause;
			}
			throw new IllegalStateException(ex);
		}
		catch (RejectedExecutionException ex) {
			throw new AuthenticationServiceException(TOO_MANY, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new AuthenticationServiceException(TOO_MANY, ex);
		}
	}

	private Verified decode(String token, long start) {
		if (System.nanoTime() - start > TURN.toNanos()) {
			throw new AuthenticationServiceException(TOO_MANY);
		}
		try {
			return verified(this.decoder.decode(token));
		}
		catch (JwtValidationException ex) {
			throw new BadCredentialsException("The token does not hold here: " + ex.getErrors()
				.stream()
				.map((error) -> String.valueOf(error.getDescription()).replace('"', '\''))
				.collect(Collectors.joining("; ")));
		}
		catch (BadJwtException ex) {
			throw new BadCredentialsException(
					"The token is malformed, of another issuer, or its signature is not valid");
		}
		catch (JwtException ex) {
			throw new AuthenticationServiceException("The key of the token is not known yet", ex);
		}
	}

	private Verified verified(Jwt jwt) {
		if (jwt.hasClaim("cnf")) {
			// whoever stole it could not use it otherwise
			throw new BadCredentialsException("The token is bound to a key of its sender, which is not asked for here");
		}
		String name = jwt.getClaimAsString(this.settings.principalClaimName());
		if (name == null || name.isBlank()) {
			throw new BadCredentialsException("The token does not tell whose it is");
		}
		return new Verified(new Identity(name, roles(jwt), this.limit), Objects.requireNonNull(jwt.getExpiresAt()));
	}

	/** The roles among what the claim lists, as an array or a text with spaces. */
	private Set<String> roles(Jwt jwt) {
		Collection<?> texts = switch (jwt.getClaims().get(this.settings.authoritiesClaimName())) {
			case Collection<?> list -> list;
			case String text -> List.of(text.split(" "));
			// the text of an object could have the name of a role between spaces
			case null, default -> List.of();
		};
		return this.roles.stream().filter(texts::contains).collect(Collectors.toUnmodifiableSet());
	}

	private record Verified(Identity identity, Instant expires) {
	}

}
