package jobs.chassis.access;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

/** Asks who sends a request on a port of operators' own, too. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnBooleanProperty("jobs.security.enabled")
class OperatorsAccessConfiguration {

	@Bean
	FilterRegistrationBean<AccessFilter> security(Credentials credentials, AccessRules rules) {
		return AccessFilter.registration(credentials, rules);
	}

}
