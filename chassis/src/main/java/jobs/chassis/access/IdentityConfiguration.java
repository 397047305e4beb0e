package jobs.chassis.access;

import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Sets up what recognises API keys and JWTs, as far as the settings name them. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(JwtSettings.class)
public class IdentityConfiguration {

	/**
	 * Throws IllegalStateException where no setting says who may, or a limit is empty.
	 */
	@Bean
	Credentials credentials(@Value("${jobs.security.keys-file:#{null}}") @Nullable Path keys, JwtSettings jwts,
			Environment settings) {
		if (keys == null && !jwts.areSet()) {
			throw new IllegalStateException("jobs.security.enabled is set, and nothing says who may: set "
					+ "jobs.security.keys-file, or spring.security.oauth2.resourceserver.jwt.issuer-uri");
		}
		Rate limit = new Rate(perSecond("jobs", settings), perSecond("bytes", settings));
		return new Credentials((keys != null) ? new ApiKeys(keys, limit) : null,
				jwts.areSet() ? new Jwts(jwts, limit) : null);
	}

	private static @Nullable Long perSecond(String what, Environment settings) {
		String name = "jobs.security.%s-per-second".formatted(what);
		String text = settings.getProperty(name);
		// a variable that was forgotten must not lift the limit of all
		if (text != null && text.isBlank()) {
			throw new IllegalStateException("%s is set and empty: set it to a number, or not at all".formatted(name));
		}
		return settings.getProperty(name, Long.class);
	}

}
