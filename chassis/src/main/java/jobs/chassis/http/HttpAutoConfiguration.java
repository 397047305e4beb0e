package jobs.chassis.http;

import java.util.Map;

import jobs.chassis.operations.RequestTraces;
import jobs.chassis.operations.TracingAutoConfiguration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Bounds Tomcat, traces its requests, and turns its errors into problems (RFC 9457). */
@AutoConfiguration(after = TracingAutoConfiguration.class)
class HttpAutoConfiguration {

	/** What these settings must be, where they are set: bounds and roles go by paths. */
	private static final Map<String, String> PATHS = Map.of("server.servlet.context-path", "",
			"spring.mvc.servlet.path", "/", "management.endpoints.web.base-path", "/actuator",
			"management.server.base-path", "");

	/** Throws IllegalStateException where bounds and roles would not be found. */
	HttpAutoConfiguration(Environment settings) {
		PATHS.forEach((setting, path) -> {
			if (!settings.getProperty(setting, path).equals(path)) {
				throw new IllegalStateException(
						"%s can't be changed: bounds and roles go by paths. Let a proxy change paths."
							.formatted(setting));
			}
		});
	}

	@Bean
	BoundedHttp boundedHttp(RequestTraces traces) {
		return new BoundedHttp(traces);
	}

	@Bean
	ApiDocuments apiDocuments() {
		return new ApiDocuments();
	}

}
