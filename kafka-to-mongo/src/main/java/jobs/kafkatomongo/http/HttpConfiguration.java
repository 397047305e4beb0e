package jobs.kafkatomongo.http;

import jobs.chassis.access.AccessRule;
import jobs.chassis.access.AccessRules;
import jobs.chassis.http.RequestLimitValve;
import jobs.contract.Roles;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sets up Tomcat: how many requests it takes, and which paths. */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {

	/** Requests in service, of some 65 KB each; beyond: 503. */
	private static final int REQUESTS = 400;

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedRequests() {
		return (factory) -> {
			factory.addConnectorCustomizers((connector) -> {
				// ids may contain slashes and backslashes
				connector.setEncodedSolidusHandling("passthrough");
				connector.setEncodedReverseSolidusHandling("passthrough");
			});
			factory.addEngineValves(new RequestLimitValve(REQUESTS));
		};
	}

	@Bean
	@ConditionalOnBooleanProperty("jobs.security.enabled")
	AccessRules accessRules() {
		return new AccessRules(Roles.ALL, AccessRule.of("/jobs/**", Roles.JOBS_READ),
				AccessRule.reading("/dead-letters/**", Roles.DEAD_LETTERS_READ),
				AccessRule.of("/dead-letters/**", Roles.DEAD_LETTERS_OPERATE),
				AccessRule.of("/console/events", AccessRules.OPERATIONS_READ), AccessRule.open("/console/login"),
				AccessRule.open("/"), AccessRule.open("/*.css"), AccessRule.open("/*.js"));
	}

}
