package jobs.resttokafka.http;

import java.util.ArrayList;
import java.util.List;

import jobs.chassis.access.AccessRule;
import jobs.chassis.access.AccessRules;
import jobs.chassis.access.RateLimits;
import jobs.chassis.http.RequestLimitValve;
import jobs.chassis.http.ServedApi;
import jobs.contract.Roles;
import jobs.contract.description.AsyncApi;
import jobs.contract.description.OpenApi;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.intake.DocumentIntake;
import jobs.resttokafka.intake.DocumentMemory;
import jobs.resttokafka.intake.Uploads;
import jobs.resttokafka.publish.DocumentIds;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializer;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.filter.RequestContextFilter;
import org.springframework.web.servlet.config.annotation.ViewControllerRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Sets up the servlet, the valves around it in Tomcat, and the root. */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {

	/** Requests in service, of some 65 KB each; beyond: 503. */
	private static final int REQUESTS = 500;

	/** The same for one of several resources; beyond: 503. */
	private static final int REQUESTS_OF_ONE = 250;

	/** Serves the path of each resource. */
	@Bean
	ServletContextInitializer servlets(Resources resources, RestToKafkaProperties properties, DocumentIds ids,
			DocumentIntake intake, Uploads uploads, DocumentMemory memory, RequestMetrics metrics) {
		RateLimits rateLimits = new RateLimits();
		int places = resources.areSeveral() ? REQUESTS_OF_ONE : REQUESTS;
		return (context) -> {
			for (Resource resource : resources.all()) {
				ServletRegistrationBean<DocumentsServlet> servlet = new ServletRegistrationBean<>(
						new DocumentsServlet(resource, places, properties, ids, intake, uploads, memory, rateLimits,
								metrics),
						resource.hasVersions() ? new String[] { resource.path(), resource.path() + "/*" }
								: new String[] { resource.path() });
				servlet.setName(resource.name());
				servlet.onStartup(context);
			}
		};
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedRequests(RequestMetrics metrics) {
		return (factory) -> factory.addEngineValves(new AfterAnswerValve(metrics), new RequestLimitValve(REQUESTS));
	}

	@Bean
	@ConditionalOnBooleanProperty("jobs.security.enabled")
	AccessRules accessRules(Resources resources) {
		List<AccessRule> rules = new ArrayList<>();
		Roles any = Roles.of(Roles.ANY);
		for (Resource resource : resources.all()) {
			Roles roles = Roles.of(resource.name());
			if (resource.hasVersions()) {
				rules.add(AccessRule.posting(resource.path(), roles.write(), any.write()));
				rules.add(AccessRule.deleting(resource.path() + "/**", roles.delete(), any.delete()));
				rules.add(AccessRule.of(resource.path() + "/**", roles.write(), any.write()));
			}
			else {
				rules.add(AccessRule.of(resource.path(), roles.write(), any.write()));
			}
		}
		rules.add(AccessRule.open("/"));
		return new AccessRules(Roles.all(resources.names()), rules.toArray(AccessRule[]::new));
	}

	/** What clients read, where a file names the resources. */
	@Bean
	@ConditionalOnProperty("jobs.resources")
	ServedApi api(Resources resources) {
		return new ServedApi(OpenApi.of(resources), AsyncApi.of(resources));
	}

	@Bean
	WebMvcConfigurer root() {
		return new Root();
	}

	/**
	 * Switches off a filter that Spring MVC would run for every document: nothing here
	 * asks a thread for its request.
	 */
	@Bean
	FilterRegistrationBean<RequestContextFilter> noRequestContextFilter() {
		FilterRegistrationBean<RequestContextFilter> filter = new FilterRegistrationBean<>(new RequestContextFilter());
		filter.setEnabled(false);
		return filter;
	}

	/** Leads a browser that knows the port alone to the page of the API. */
	private static final class Root implements WebMvcConfigurer {

		@Override
		public void addViewControllers(ViewControllerRegistry registry) {
			registry.addRedirectViewController("/", "/docs");
		}

	}

}
