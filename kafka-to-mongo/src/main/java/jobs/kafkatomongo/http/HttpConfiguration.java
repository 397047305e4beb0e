package jobs.kafkatomongo.http;

import java.io.IOException;
import java.util.List;
import java.util.regex.Pattern;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.access.AccessRule;
import jobs.chassis.access.AccessRules;
import jobs.chassis.http.Problem;
import jobs.chassis.http.RequestLimitValve;
import jobs.contract.Roles;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

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

	/** Answers with jobs being written, as slowly as clients read; beyond: 503. */
	private static final int JOB_ANSWERS = 24;

	/** Bytes of all answers with jobs being written; beyond: 503. */
	private static final int JOB_ANSWER_BYTES = 12 * 1024 * 1024;

	/** Answers with dead letters being written, beside those with jobs; beyond: 503. */
	private static final int DEAD_LETTER_ANSWERS = 8;

	/** Bytes of all answers with dead letters being written; beyond: 503. */
	private static final int DEAD_LETTER_ANSWER_BYTES = 4 * 1024 * 1024;

	private final BoundedAnswers.Making making = new BoundedAnswers.Making();

	@Bean
	BoundedAnswers jobAnswers() {
		return new BoundedAnswers(JOB_ANSWERS, JOB_ANSWER_BYTES, this.making);
	}

	@Bean
	BoundedAnswers deadLetterAnswers() {
		return new BoundedAnswers(DEAD_LETTER_ANSWERS, DEAD_LETTER_ANSWER_BYTES, this.making);
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedRequests() {
		return (factory) -> {
			factory.addConnectorCustomizers((connector) -> {
				// ids may contain slashes and backslashes
				connector.setEncodedSolidusHandling("passthrough");
				connector.setEncodedReverseSolidusHandling("passthrough");
			});
			factory.addEngineValves(new RequestLimitValve(REQUESTS), new PathValve());
		};
	}

	@Bean
	@ConditionalOnBooleanProperty("jobs.security.enabled")
	AccessRules accessRules() {
		return new AccessRules(Roles.ALL, AccessRule.reading("/jobs/**", Roles.JOBS_READ),
				AccessRule.of("/jobs/**", Roles.JOBS_ERASE),
				AccessRule.reading("/dead-letters/**", Roles.DEAD_LETTERS_READ),
				AccessRule.of("/dead-letters/**", Roles.DEAD_LETTERS_OPERATE),
				AccessRule.of("/console/events", AccessRules.OPERATIONS_READ), AccessRule.open("/console/login"),
				AccessRule.open("/"), AccessRule.open("/*.css"), AccessRule.open("/*.js"));
	}

	/**
	 * Refuses encoded slashes and backslashes where no id is: Boot takes them for parts
	 * of a path, and fails. Refuses a semicolon where an id is.
	 */
	private static final class PathValve extends ValveBase {

		private static final Pattern ENCODED = Pattern.compile("%(2f|5c)", Pattern.CASE_INSENSITIVE);

		private static final List<String> WITH_IDS = List.of("/jobs/", "/dead-letters/");

		PathValve() {
			super(true);
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			String path = request.getDecodedRequestURI();
			// Spring would cut it off, and act on another id
			if (path != null && WITH_IDS.stream().anyMatch(path::startsWith)
					&& request.getRequestURI().indexOf(';') >= 0) {
				Problem.of(HttpServletResponse.SC_BAD_REQUEST, "A ; in an id is written %3B").writeTo(response);
				return;
			}
			if (path != null && ENCODED.matcher(path).find() && WITH_IDS.stream().noneMatch(path::startsWith)) {
				Problem
					.of(HttpServletResponse.SC_BAD_REQUEST,
							"This path has an encoded slash or backslash, which ids alone may have")
					.writeTo(response);
				return;
			}
			getNext().invoke(request, response);
		}

	}

}
