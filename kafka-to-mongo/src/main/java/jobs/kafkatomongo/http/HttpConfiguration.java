package jobs.kafkatomongo.http;

import jobs.chassis.http.RequestLimitValve;
import jobs.kafkatomongo.limits.Limits;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sets up Tomcat: how many requests it takes, and which paths. */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedRequests() {
		return (factory) -> {
			factory.addConnectorCustomizers((connector) -> {
				// ids may contain slashes and backslashes
				connector.setEncodedSolidusHandling("passthrough");
				connector.setEncodedReverseSolidusHandling("passthrough");
			});
			factory.addEngineValves(new RequestLimitValve(Limits.REQUESTS));
		};
	}

}
