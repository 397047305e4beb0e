package jobs.resttokafka.http;

import jobs.chassis.access.AccessRule;
import jobs.chassis.access.AccessRules;
import jobs.chassis.http.RequestLimitValve;
import jobs.contract.Roles;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.intake.JobIntake;
import jobs.resttokafka.intake.JobMemory;
import jobs.resttokafka.intake.Uploads;
import jobs.resttokafka.publish.JobIds;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
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

	@Bean
	ServletRegistrationBean<JobsServlet> jobs(RestToKafkaProperties properties, JobIds ids, JobIntake intake,
			Uploads uploads, JobMemory memory, RequestMetrics metrics) {
		return new ServletRegistrationBean<>(new JobsServlet(properties, ids, intake, uploads, memory, metrics),
				"/jobs");
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedRequests(RequestMetrics metrics) {
		return (factory) -> factory.addEngineValves(new AfterAnswerValve(metrics), new RequestLimitValve(REQUESTS));
	}

	@Bean
	@ConditionalOnBooleanProperty("jobs.security.enabled")
	AccessRules accessRules() {
		return new AccessRules(Roles.ALL, AccessRule.of("/jobs", Roles.JOBS_WRITE), AccessRule.open("/"));
	}

	@Bean
	WebMvcConfigurer root() {
		return new Root();
	}

	/**
	 * Switches off a filter that Spring MVC would run for every job: nothing here asks a
	 * thread for its request.
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
