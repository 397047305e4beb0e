package jobs.chassis.access;

import java.util.EnumSet;

import jakarta.servlet.DispatcherType;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Asks who sends a request, and whether they may, where {@code jobs.security.enabled} is
 * set. Elsewhere no filter is in the way.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty("jobs.security.enabled")
@Import(IdentityConfiguration.class)
class AccessAutoConfiguration {

	/** Comes before all filters of a service. */
	private static final int ORDER = -100;

	@Bean
	FilterRegistrationBean<AccessFilter> security(Credentials credentials, AccessRules rules) {
		return filter(credentials, rules);
	}

	static FilterRegistrationBean<AccessFilter> filter(Credentials credentials, AccessRules rules) {
		FilterRegistrationBean<AccessFilter> registration = new FilterRegistrationBean<>(
				new AccessFilter(credentials, rules));
		registration.setDispatcherTypes(EnumSet.of(DispatcherType.REQUEST));
		registration.setOrder(ORDER);
		return registration;
	}

}
