package jobs.kafkatomongo.http;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.access.AccessRule;
import jobs.chassis.access.AccessRules;
import jobs.chassis.http.Problem;
import jobs.chassis.http.RequestLimitValve;
import jobs.chassis.http.ServedApi;
import jobs.contract.Roles;
import jobs.contract.description.AsyncApi;
import jobs.contract.description.OpenApi;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sets up Tomcat: how many requests it takes, and which paths. */
@Configuration(proxyBeanMethods = false)
class HttpConfiguration {

	/** Requests in service, of some 65 KB each; beyond: 503. */
	private static final int REQUESTS = 400;

	/** Answers with documents being written, as slowly as clients read; beyond: 503. */
	private static final int JOB_ANSWERS = 24;

	/** Bytes of all answers with documents being written; beyond: 503. */
	private static final int JOB_ANSWER_BYTES = 12 * 1024 * 1024;

	/**
	 * Answers with dead letters being written, beside those with documents; beyond: 503.
	 */
	private static final int DEAD_LETTER_ANSWERS = 8;

	/** Bytes of all answers with dead letters being written; beyond: 503. */
	private static final int DEAD_LETTER_ANSWER_BYTES = 4 * 1024 * 1024;

	/** Requests that erase, each with a connection to MongoDB. */
	private static final int ERASURES = 2;

	/** Requests that discard dead letters, each with a connection to MongoDB. */
	private static final int DISCARDS = 2;

	/** Corrections being read; where documents may be large, fewer; beyond: 503. */
	private static final int CORRECTIONS = 16;

	/** The part of the heap that is left to all corrections being read: an eighth. */
	private static final int PART_FOR_CORRECTIONS = 8;

	/** Requests that replay, of up to some megabytes each. */
	private static final int REPLAY_REQUESTS = 2;

	/**
	 * Requests that wait for a document and ask MongoDB 20 times a second; of several
	 * resources one has half of what the others leave; beyond: no wait.
	 */
	private static final int WAITERS = 100;

	/**
	 * Clients that get events, each with a connection to MongoDB where that has change
	 * streams; beyond: 503.
	 */
	private static final int EVENT_STREAMS = 20;

	private static final String TOO_MANY_REPLAYS = "Too many replays at once";

	private static final String TOO_MANY_WAITS = "Too many requests wait for documents";

	private final BoundedAnswers.Making making = new BoundedAnswers.Making();

	@Bean
	BoundedAnswers documentAnswers() {
		return new BoundedAnswers(JOB_ANSWERS, JOB_ANSWER_BYTES, this.making);
	}

	@Bean
	BoundedAnswers deadLetterAnswers() {
		return new BoundedAnswers(DEAD_LETTER_ANSWERS, DEAD_LETTER_ANSWER_BYTES, this.making);
	}

	@Bean
	Bulkhead erasing() {
		return new Bulkhead(ERASURES, "Too many documents are erased at once");
	}

	@Bean
	Bulkhead discarding() {
		return new Bulkhead(DISCARDS, "Too many dead letters are discarded at once");
	}

	@Bean
	Bulkhead corrections(Resources resources) {
		int largest = resources.all().stream().mapToInt(Resource::maxSize).max().orElseThrow();
		long fitting = Runtime.getRuntime().maxMemory() / PART_FOR_CORRECTIONS / largest;
		return new Bulkhead(Math.clamp(fitting, 1, CORRECTIONS), TOO_MANY_REPLAYS);
	}

	@Bean
	Bulkhead replaying() {
		return new Bulkhead(REPLAY_REQUESTS, TOO_MANY_REPLAYS);
	}

	@Bean
	Bulkhead waiting() {
		return new Bulkhead(WAITERS, TOO_MANY_WAITS);
	}

	/** The places of {@link #waiting()} once more, of which resources take theirs. */
	@Bean
	Bulkhead waitingOfResources() {
		return new Bulkhead(WAITERS, TOO_MANY_WAITS);
	}

	@Bean
	Bulkhead eventStreams() {
		return new Bulkhead(EVENT_STREAMS, "Too many clients get events");
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedRequests(Resources resources) {
		return (factory) -> {
			factory.addConnectorCustomizers((connector) -> {
				// ids may contain slashes and backslashes
				connector.setEncodedSolidusHandling("passthrough");
				connector.setEncodedReverseSolidusHandling("passthrough");
			});
			factory.addEngineValves(new RequestLimitValve(REQUESTS), new PathValve(resources));
		};
	}

	/** What clients read, where a file names the resources. */
	@Bean
	@ConditionalOnProperty("jobs.resources")
	ServedApi api(Resources resources) {
		return new ServedApi(OpenApi.of(resources), AsyncApi.of(resources));
	}

	@Bean
	@ConditionalOnBooleanProperty("jobs.security.enabled")
	AccessRules accessRules(Resources resources) {
		Roles any = Roles.of(Roles.ANY);
		List<AccessRule> rules = new ArrayList<>();
		for (Resource resource : resources.all()) {
			Roles roles = Roles.of(resource.name());
			String deadLetters = resource.deadLettersPath() + "/**";
			String documents = resource.path() + "/**";
			// the dead letters first, whose path may begin with that of the documents
			rules.add(AccessRule.reading(deadLetters, roles.readDeadLetters(), any.readDeadLetters()));
			rules.add(AccessRule.of(deadLetters, roles.operateDeadLetters(), any.operateDeadLetters()));
			rules.add(AccessRule.reading(documents, roles.read(), any.read()));
			rules.add(AccessRule.of(documents, roles.erase(), any.erase()));
		}
		rules.addAll(List.of(AccessRule.of("/console/events", AccessRules.OPERATIONS_READ),
				AccessRule.open("/console/login"), AccessRule.open("/"), AccessRule.open("/*.css"),
				AccessRule.open("/*.js")));
		return new AccessRules(Roles.all(resources.names()), rules.toArray(AccessRule[]::new));
	}

	/**
	 * Refuses encoded slashes and backslashes where no id is: Boot takes them for parts
	 * of a path, and fails. Refuses a semicolon where an id is.
	 */
	private static final class PathValve extends ValveBase {

		private static final Pattern ENCODED = Pattern.compile("%(2f|5c)", Pattern.CASE_INSENSITIVE);

		/** How the paths begin that have an id. */
		private final List<String> withIds;

		PathValve(Resources resources) {
			super(true);
			this.withIds = resources.all()
				.stream()
				.flatMap((resource) -> Stream.of(resource.path() + "/", resource.deadLettersPath() + "/"))
				.toList();
		}

		@Override
		public void invoke(Request request, Response response) throws IOException, ServletException {
			String path = request.getDecodedRequestURI();
			// Spring would cut it off, and act on another id
			if (path != null && this.withIds.stream().anyMatch(path::startsWith)
					&& request.getRequestURI().indexOf(';') >= 0) {
				Problem.of(HttpServletResponse.SC_BAD_REQUEST, "A ; in an id is written %3B").writeTo(response);
				return;
			}
			if (path != null && ENCODED.matcher(path).find() && this.withIds.stream().noneMatch(path::startsWith)) {
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
