package jobs.chassis.access;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.Problem;
import jobs.chassis.operations.SettingException;
import jobs.chassis.operations.Warnings;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.filter.CorsFilter;

/**
 * Asks who sends a request, and whether they may, where {@code jobs.security.enabled} is
 * set. Elsewhere no filter is in the way.
 */
@AutoConfiguration
class AccessAutoConfiguration {

	/** Sets up the filter, and the API keys and JWTs that the settings name. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("jobs.security.enabled")
	@EnableConfigurationProperties(JwtSettings.class)
	static class Secured {

		/**
		 * Throws SettingException where no setting says who may, or a limit is empty.
		 */
		@Bean
		Credentials credentials(@Value("${jobs.security.keys-file:#{null}}") @Nullable Path keys, JwtSettings jwts,
				AccessRules rules, ObjectProvider<Credentials.TokenSource> sources, Environment settings,
				Warnings warnings) {
			if (keys == null && !jwts.areSet()) {
				throw new SettingException("jobs.security.enabled is set, and nothing says who may: set "
						+ "jobs.security.keys-file to a file that ./run keys create has made, or spring.security.oauth2.resourceserver.jwt.issuer-uri");
			}
			Rate limit = new Rate(perSecond("jobs", settings), perSecond("bytes", settings));
			return new Credentials((keys != null) ? new ApiKeys(keys, rules.roles(), limit, warnings) : null,
					jwts.areSet() ? new Jwts(jwts, rules.roles(), limit) : null, sources.orderedStream().toList());
		}

		private static @Nullable Long perSecond(String what, Environment settings) {
			String name = "jobs.security.%s-per-second".formatted(what);
			String text = settings.getProperty(name);
			// a variable that was forgotten must not lift the limit of all
			if (text != null && text.isBlank()) {
				throw new SettingException("%s is set and empty: set it to a number, or not at all".formatted(name));
			}
			return settings.getProperty(name, Long.class);
		}

		@Bean
		FilterRegistrationBean<AccessFilter> security(Credentials credentials, AccessRules rules) {
			return AccessFilter.registration(credentials, rules);
		}

	}

	/** Says at the start that whoever reaches a service may use it, where that is so. */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = "jobs.security.enabled", havingValue = false, matchIfMissing = true)
	static class Open {

		private static final Logger logger = LoggerFactory.getLogger(AccessAutoConfiguration.class);

		private final @Nullable InetAddress address;

		private final @Nullable InetAddress addressOfOperators;

		Open(@Value("${server.address:#{null}}") @Nullable InetAddress address,
				@Value("${management.server.address:${server.address:#{null}}}") @Nullable InetAddress operators) {
			this.address = address;
			this.addressOfOperators = operators;
		}

		@EventListener(ApplicationReadyEvent.class)
		void warn() {
			if (isOpen(this.address) || isOpen(this.addressOfOperators)) {
				logger.warn("Whoever reaches this service over the network may use all of it: "
						+ "set jobs.security.enabled to ask for keys or tokens");
			}
		}

		private static boolean isOpen(@Nullable InetAddress address) {
			return address == null || !address.isLoopbackAddress();
		}

	}

	/**
	 * Lets pages of the origins in {@code jobs.security.origins} read answers (CORS).
	 * Without security these pages could do whatever they like, so the setting counts
	 * with security alone.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty("jobs.security.enabled")
	@ConditionalOnProperty("jobs.security.origins")
	static class Cors {

		/** As a browser sends it: no path, not even a slash. */
		private static final Pattern ORIGIN = Pattern.compile("https?://[^/?#@*\\s]+");

		/** Throws SettingException where one of the origins can't be one. */
		@Bean
		FilterRegistrationBean<CorsFilter> cors(@Value("${jobs.security.origins}") Set<String> origins) {
			for (String origin : origins) {
				if (!ORIGIN.matcher(origin).matches()) {
					throw new SettingException(
							"jobs.security.origins has '%s', which is no origin such as https://jobs.example"
								.formatted(origin));
				}
			}
			CorsConfiguration leave = new CorsConfiguration();
			leave.setAllowedOrigins(List.copyOf(origins));
			leave.setAllowedMethods(List.of("GET", "HEAD", "POST", "DELETE"));
			leave.setAllowedHeaders(List.of("Authorization", "Content-Type", "Idempotency-Key", "If-Match",
					"If-None-Match", "Last-Event-ID", "Prefer", "traceparent", "ce-specversion", "ce-id", "ce-source",
					"ce-type", "ce-subject", "ce-time", "ce-dataschema"));
			leave.setExposedHeaders(List.of("ETag", "Location", "Preference-Applied", "Retry-After", "Superseded-By",
					"WWW-Authenticate"));
			// any other request goes on without leave: who may do what does not depend on
			// pages
			CorsFilter filter = new CorsFilter((request) -> (CorsUtils.isPreFlightRequest(request)
					|| origins.contains(String.valueOf(request.getHeader("Origin")))) ? leave : null);
			filter.setCorsProcessor(new Refusals());
			FilterRegistrationBean<CorsFilter> registration = new FilterRegistrationBean<>(filter);
			// a browser asks for leave without a token
			registration.setOrder(AccessFilter.ORDER - 1);
			return registration;
		}

		/** Answers browsers that get no leave with a problem. */
		private static final class Refusals extends DefaultCorsProcessor {

			@Override
			protected void rejectRequest(ServerHttpResponse response) throws IOException {
				Problem
					.of(HttpServletResponse.SC_FORBIDDEN,
							"A page of this origin may not send this; JOBS_SECURITY_ORIGINS names those that may")
					.writeTo(((ServletServerHttpResponse) response).getServletResponse());
			}

		}

	}

	/**
	 * Reads {@code jobs.security.enabled} once, so that each condition takes {@code yes},
	 * {@code on} and the like as this does: none may stay open while another is shut.
	 * While security is on, the details of the health are shown to nobody without the
	 * role.
	 */
	static final class SecuritySwitch implements EnvironmentPostProcessor {

		private static final String SWITCH = "jobs.security.enabled";

		/**
		 * Throws an exception for what is neither true nor false, which ends the start.
		 */
		@Override
		public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
			// a variable that was forgotten must not leave a service open
			String text = environment.getProperty(SWITCH);
			if (text != null && text.isBlank()) {
				throw new SettingException("%s is set and empty: set it to true or false".formatted(SWITCH));
			}
			boolean isOn = environment.getProperty(SWITCH, Boolean.class, false);
			Map<String, Object> settings = new HashMap<>(Map.of(SWITCH, Boolean.toString(isOn)));
			if (isOn) {
				settings.put("management.endpoint.health.show-details", "when-authorized");
				settings.put("management.endpoint.health.roles", AccessRules.OPERATIONS_READ);
			}
			environment.getPropertySources().addFirst(new MapPropertySource("jobs.security", settings));
		}

	}

}
