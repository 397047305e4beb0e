package jobs.chassis.identity;

import java.nio.file.Path;

import jobs.chassis.rate.Limit;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sets up what recognises API keys and JWTs, as far as the settings name them. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(JwtSettings.class)
public class IdentityConfiguration {

	/** Throws IllegalStateException where no setting says who may. */
	@Bean
	Credentials credentials(@Value("${jobs.security.keys-file:#{null}}") @Nullable Path keys, JwtSettings jwts,
			@Value("${jobs.security.jobs-per-second:#{null}}") @Nullable Long jobs,
			@Value("${jobs.security.bytes-per-second:#{null}}") @Nullable Long bytes) {
		if (keys == null && !jwts.areSet()) {
			throw new IllegalStateException("jobs.security.enabled is set, and nothing says who may: set "
					+ "jobs.security.keys-file, or spring.security.oauth2.resourceserver.jwt.issuer-uri");
		}
		Limit limit = new Limit(jobs, bytes);
		return new Credentials((keys != null) ? new ApiKeys(keys, limit) : null,
				jwts.areSet() ? new Jwts(jwts, limit) : null);
	}

}
