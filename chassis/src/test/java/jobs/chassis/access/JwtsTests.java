package jobs.chassis.access;

import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.util.Base64URL;
import jobs.testkit.Issuer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.security.authentication.AuthenticationServiceException;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.core.AuthenticationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** With an issuer that behaves badly. {@code SecurityTests} has bad tokens. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JwtsTests {

	private final Issuer issuer = new Issuer();

	private final Jwts jwts = new Jwts(settings(this.issuer), Set.of("jobs:write", "jobs:read"), Rate.NONE);

	@AfterEach
	void close() {
		this.issuer.close();
	}

	/** Its text would have the role between two spaces. */
	@Test
	void takesNoRoleOfAnObject() {
		this.jwts.refresh();

		Identity found = identify(this.issuer.token("",
				(claims) -> claims.claim("scope", Map.of("a", "b jobs:write c", "d", List.of("jobs:write")))));

		assertThat(found.roles()).isEmpty();
	}

	/** Somebody may have found its private half. */
	@Test
	void takesNoTokenOfAShortKey() throws Exception {
		KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
		generator.initialize(1024);
		KeyPair pair = generator.generateKeyPair();
		this.issuer.changeKey(new RSAKey.Builder((RSAPublicKey) pair.getPublic()).keyID("short").build());
		Base64URL header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("short").build().toBase64URL();
		Base64URL payload = this.issuer.claims("jobs:write", (claims) -> {
		}).toPayload().toBase64URL();
		Signature signature = Signature.getInstance("SHA256withRSA");
		signature.initSign(pair.getPrivate());
		signature.update((header + "." + payload).getBytes(StandardCharsets.US_ASCII));
		String token = header + "." + payload + "." + Base64URL.encode(signature.sign());
		this.jwts.refresh();

		assertThatExceptionOfType(AuthenticationException.class).isThrownBy(() -> identify(token));
	}

	@Test
	void findsTheNameAndTheRolesOfOurs() {
		this.jwts.refresh();

		Identity found = identify(this.issuer.token("jobs:write openid jobs:read", (claims) -> {
		}));

		assertThat(found.name()).isEqualTo("ann");
		assertThat(found.roles()).containsExactlyInAnyOrder("jobs:write", "jobs:read");
	}

	@ParameterizedTest
	@Tag("long")
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "KEYS")
	void tellsThatNobodyCanTellWhileTheIssuerDoesNot(Issuer.Answer answer) {
		this.issuer.answer(answer);
		this.jwts.refresh();
		String token = token();

		assertThatExceptionOfType(AuthenticationServiceException.class).isThrownBy(() -> identify(token));

		this.issuer.answer(Issuer.Answer.KEYS);
		awaitRecognised(token);
	}

	/** It is why the keys are not those of Nimbus's JWKSourceBuilder. */
	@Test
	void holdsUpNoRequestWhileTheIssuerHangs() {
		this.issuer.answer(Issuer.Answer.NONE);
		Thread fetching = Thread.startVirtualThread(this.jwts::refresh);
		Awaitility.await().until(() -> this.issuer.asked.get() > 0);
		String token = token();

		assertThatExceptionOfType(AuthenticationServiceException.class).isThrownBy(() -> identify(token));

		assertThat(fetching.isAlive()).isTrue();
	}

	@Test
	@Tag("long")
	void keepsTheKeysWhileTheIssuerIsAway() {
		this.jwts.refresh();
		String token = token();
		this.issuer.answer(Issuer.Answer.CUT);

		Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
			assertThatExceptionOfType(AuthenticationException.class).isThrownBy(() -> identify(unknown()));
			this.jwts.refresh();
			assertThat(this.issuer.asked).hasValueGreaterThan(1);
		});

		// nobody can tell whether it is wrong
		assertThatExceptionOfType(AuthenticationServiceException.class).isThrownBy(() -> identify(unknown()));
		assertThat(identify(token).name()).isEqualTo("ann");
	}

	@Test
	@Tag("long")
	void forgetsVerifiedTokensOfAKeyThatTheIssuerWithdraws() {
		this.jwts.refresh();
		String old = token();
		identify(old);
		this.issuer.changeKey("second");

		awaitRecognised(token());

		assertThatExceptionOfType(AuthenticationException.class).isThrownBy(() -> identify(old));
		// the issuer is asked once more whether it has that key
		Awaitility.await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
			this.jwts.refresh();
			assertThatExceptionOfType(BadCredentialsException.class).isThrownBy(() -> identify(old));
		});
	}

	/** Else whoever makes up tokens would have the issuer asked for each of them. */
	@Test
	@Tag("long")
	void asksOnceMoreForAKeyThatIsUnknownAndSeldomForKeysThatNobodyHas() {
		this.jwts.refresh();
		String token = unknown();
		assertThatExceptionOfType(AuthenticationServiceException.class).isThrownBy(() -> identify(token));
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> {
			this.jwts.refresh();
			return this.issuer.asked.get() > 1;
		});

		for (int i = 0; i < 1000; i++) {
			assertThatExceptionOfType(BadCredentialsException.class).isThrownBy(() -> identify(token));
			this.jwts.refresh();
		}

		assertThat(this.issuer.asked).hasValue(2);
	}

	/** A client would give up a good token for a 401. */
	@Test
	@Tag("long")
	void knowsAKeyThatTheIssuerTellsAtOnceAfterItWasAsked() {
		this.jwts.refresh();
		this.issuer.changeKey("second");
		String token = token();

		assertThatExceptionOfType(AuthenticationServiceException.class).isThrownBy(() -> identify(token));

		awaitRecognised(token);
	}

	/** Whoever sent it would try again otherwise, although no key can help. */
	@Test
	void refusesATokenOfAnotherIssuerThoughNoKeyIsKnown() {
		String token = Issuer.sign(Issuer.newKey("others"),
				this.issuer.claims("jobs:write", (claims) -> claims.issuer("http://127.0.0.1:1")));

		assertThatExceptionOfType(BadCredentialsException.class).isThrownBy(() -> identify(token))
			.withMessageContaining("another issuer");
		assertThat(this.issuer.asked).hasValue(0);
	}

	/** Whoever stole it could not use it where the key is asked for. */
	@Test
	void refusesATokenThatIsBoundToAKeyOfItsSender() {
		this.jwts.refresh();

		assertThatExceptionOfType(BadCredentialsException.class).isThrownBy(
				() -> identify(this.issuer.token("jobs:write", (claims) -> claims.claim("cnf", Map.of("jkt", "0")))))
			.withMessageContaining("bound");
	}

	@Test
	void needsAnAudienceAndPublicKeys() {
		assertThatIllegalStateException()
			.isThrownBy(() -> new JwtSettings(this.issuer.uri(), null, List.of(), Set.of(), "scope", "sub"))
			.withMessageContaining("audiences");
		assertThatIllegalStateException()
			.isThrownBy(
					() -> new JwtSettings(this.issuer.uri(), null, List.of("jobs"), Set.of("HS256"), "scope", "sub"))
			.withMessageContaining("RS256");
		assertThatIllegalStateException()
			.isThrownBy(
					() -> new JwtSettings(this.issuer.uri(), null, List.of("jobs"), Set.of("RS265"), "scope", "sub"))
			.withMessageContaining("RS256");
		assertThatIllegalStateException()
			.isThrownBy(() -> new JwtSettings(null, this.issuer.uri(), List.of("jobs"), Set.of(), "scope", "sub"))
			.withMessageContaining("issuer-uri");
	}

	private void awaitRecognised(String token) {
		Awaitility.await().atMost(Duration.ofSeconds(20)).ignoreExceptions().untilAsserted(() -> {
			this.jwts.refresh();
			assertThat(identify(token).name()).isEqualTo("ann");
		});
	}

	private String unknown() {
		return Issuer.sign(Issuer.newKey("unknown"), this.issuer.claims("jobs:write", (claims) -> {
		}));
	}

	private Identity identify(String token) {
		return this.jwts.identify(token, Credentials.digest(token));
	}

	private String token() {
		return this.issuer.token("jobs:write", (claims) -> {
		});
	}

	private static JwtSettings settings(Issuer issuer) {
		return new JwtSettings(issuer.uri(), null, List.of(Issuer.AUDIENCE), Set.of(), "scope", "sub");
	}

}
