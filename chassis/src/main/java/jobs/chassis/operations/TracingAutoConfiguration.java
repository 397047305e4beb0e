package jobs.chassis.operations;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** Traces requests where an OTLP endpoint is configured. */
@AutoConfiguration
public class TracingAutoConfiguration {

	@Bean
	Tracing tracing(@Value("${spring.application.name}") String service,
			@Value("${otel.exporter.otlp.endpoint:}") String endpoint,
			@Value("${otel.traces.sampler.arg:1.0}") double share) {
		return new Tracing(service, endpoint, share);
	}

	@Bean
	RequestTraces requestTraces(Tracing tracing) {
		return new RequestTraces(tracing);
	}

}
