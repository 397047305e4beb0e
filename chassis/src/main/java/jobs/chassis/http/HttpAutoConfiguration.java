package jobs.chassis.http;

import jobs.chassis.tracing.RequestTraces;
import jobs.chassis.tracing.TracingAutoConfiguration;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Bounds Tomcat, traces its requests, and turns its errors into problems (RFC 9457). */
@AutoConfiguration(after = TracingAutoConfiguration.class)
class HttpAutoConfiguration {

	@Bean
	BoundedHttp boundedHttp(RequestTraces traces) {
		return new BoundedHttp(traces);
	}

	@Bean
	ApiDocuments apiDocuments() {
		return new ApiDocuments();
	}

}
