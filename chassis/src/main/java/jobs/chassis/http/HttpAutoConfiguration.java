package jobs.chassis.http;

import jobs.chassis.tracing.RequestTraces;
import jobs.chassis.tracing.TracingAutoConfiguration;
import org.apache.catalina.core.StandardHost;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Bounds Tomcat, traces its requests, and turns its errors into problems (RFC 9457). */
@AutoConfiguration(after = TracingAutoConfiguration.class)
class HttpAutoConfiguration {

	/** Bytes of the buffer through which a connection's answers are written. */
	private static final String WRITE_BUFFER = "2048";

	/** Runs first, so that the valves of a service stand behind the trace valve. */
	@Bean
	@Order(Ordered.HIGHEST_PRECEDENCE)
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedHttp(RequestTraces traces) {
		return (factory) -> {
			factory.setProtocol(ImpatientHttpProtocol.class.getName());
			factory
				.addConnectorCustomizers((connector) -> connector.setProperty("socket.appWriteBufSize", WRITE_BUFFER));
			factory.addEngineValves(traces);
			factory.addContextCustomizers((context) -> ((StandardHost) context.getParent())
				.setErrorReportValveClass(ProblemReportValve.class.getName()));
		};
	}

	@Bean
	ApiDocuments apiDocuments() {
		return new ApiDocuments();
	}

}
