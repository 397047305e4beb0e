package jobs.chassis.access;

import java.net.URI;
import java.util.List;
import java.util.Set;

import com.nimbusds.jose.JWSAlgorithm;
import jobs.chassis.operations.SettingException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Whose JWTs are taken. The names are Spring Boot's.
 *
 * @param issuerUri who issues them; names the place of the keys as OpenID Connect
 * Discovery has it, unless {@code jwkSetUri} does
 * @param jwkSetUri where the issuer's public keys are, if discovery does not tell
 * @param audiences one of them must stand in a token's {@code aud}
 * @param jwsAlgorithms the signatures that are taken; {@code RS256} and {@code ES256}
 * where none is named
 * @param authoritiesClaimName the claim with the roles: an array, or a text with spaces
 * @param principalClaimName the claim with the name of who sends it
 */
@ConfigurationProperties("spring.security.oauth2.resourceserver.jwt")
record JwtSettings(@Nullable URI issuerUri, @Nullable URI jwkSetUri, @DefaultValue List<String> audiences,
		@DefaultValue Set<String> jwsAlgorithms, @DefaultValue("scope") String authoritiesClaimName,
		@DefaultValue("sub") String principalClaimName) {

	/**
	 * Throws IllegalStateException for settings that would take tokens made for others.
	 */
	JwtSettings {
		jwsAlgorithms = jwsAlgorithms.isEmpty() ? Set.of("RS256", "ES256") : jwsAlgorithms;
		require(issuerUri != null || jwkSetUri == null,
				"issuer-uri must be set beside jwk-set-uri: else tokens of another issuer with the same keys would be taken");
		require(issuerUri == null || !audiences.isEmpty(),
				"audiences must be set: else tokens that the issuer made for others would be taken");
		require(jwsAlgorithms.stream().map(JWSAlgorithm::parse).allMatch(JWSAlgorithm.Family.SIGNATURE::contains),
				"jws-algorithms may have signatures with a public key alone, such as RS256 or ES256");
	}

	private static void require(boolean kept, String otherwise) {
		if (!kept) {
			throw new SettingException("spring.security.oauth2.resourceserver.jwt." + otherwise);
		}
	}

	boolean areSet() {
		return this.issuerUri != null;
	}

	/** The issuer as tokens name it, once the settings are set. */
	String issuer() {
		return String.valueOf(this.issuerUri);
	}

}
