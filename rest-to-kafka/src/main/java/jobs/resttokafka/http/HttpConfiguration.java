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

/** Sets up the servlet, and the valves around it in Tomcat. */
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
		return new AccessRules(Roles.ALL, AccessRule.of("/jobs", Roles.JOBS_WRITE));
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

}
