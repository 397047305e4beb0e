package jobs.chassis.access;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.Problem;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.http.server.ServerHttpResponse;
import org.springframework.http.server.ServletServerHttpResponse;
import org.springframework.web.cors.CorsConfiguration;
import org.springframework.web.cors.CorsUtils;
import org.springframework.web.cors.DefaultCorsProcessor;
import org.springframework.web.filter.CorsFilter;

/**
 * Lets pages of the origins in {@code jobs.security.origins} read answers (CORS). Without
 * security these could do whatever they like, so that the setting counts with it alone.
 * Elsewhere no filter is in the way.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty("jobs.security.enabled")
@ConditionalOnProperty("jobs.security.origins")
class CorsAutoConfiguration {

	/** Comes before who asks for tokens: a browser asks for leave without one. */
	private static final int ORDER = -101;

	/** As a browser sends it: no path, not even a slash. */
	private static final Pattern ORIGIN = Pattern.compile("https?://[^/?#@*\\s]+");

	/** Throws IllegalStateException where one of the origins can't be one. */
	@Bean
	FilterRegistrationBean<CorsFilter> cors(@Value("${jobs.security.origins}") Set<String> origins) {
		for (String origin : origins) {
			if (!ORIGIN.matcher(origin).matches()) {
				throw new IllegalStateException(
						"jobs.security.origins has '%s', which is no origin such as https://jobs.example"
							.formatted(origin));
			}
		}
		CorsConfiguration leave = new CorsConfiguration();
		leave.setAllowedOrigins(List.copyOf(origins));
		leave.setAllowedMethods(List.of("GET", "HEAD", "POST", "DELETE"));
		leave.setAllowedHeaders(List.of("Authorization", "Content-Type", "Idempotency-Key", "Prefer", "traceparent"));
		leave.setExposedHeaders(List.of("Location", "Preference-Applied", "Retry-After", "WWW-Authenticate"));
		// any other request goes on without leave: who may do what does not depend on
		// pages
		CorsFilter filter = new CorsFilter((request) -> (CorsUtils.isPreFlightRequest(request)
				|| origins.contains(String.valueOf(request.getHeader("Origin")))) ? leave : null);
		filter.setCorsProcessor(new Refusals());
		FilterRegistrationBean<CorsFilter> registration = new FilterRegistrationBean<>(filter);
		registration.setOrder(ORDER);
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
