package jobs.chassis.http;

import java.net.InetAddress;

import jobs.chassis.tracing.RequestTraces;
import jobs.chassis.tracing.TracingAutoConfiguration;
import org.apache.catalina.core.StandardHost;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/** Bounds Tomcat, traces its requests, and turns its errors into problems (RFC 9457). */
@AutoConfiguration(after = TracingAutoConfiguration.class)
class HttpAutoConfiguration {

	/** Bytes of the buffer through which a connection's answers are written. */
	private static final String WRITE_BUFFER = "2048";

	/** Bytes of the fields after a chunked body; beyond: 400. */
	private static final String TRAILERS = "1024";

	/** Connections to a port of operators' own. */
	private static final String OPERATORS_CONNECTIONS = "100";

	/** Requests for health in service, and as many for metrics; beyond: 503. */
	private static final int OPERATORS = 20;

	/** Requests of operators with a body in service; beyond: 503. */
	private static final int OPERATIONS = 2;

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedHttp(RequestTraces traces) {
		return new BoundedHttp(traces);
	}

	@Bean
	ApiDocuments apiDocuments() {
		return new ApiDocuments();
	}

	/** The same on a port of operators' own ({@code management.server.port}). */
	@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
	static class OnPortOfOperators {

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> boundedHttpOfOperators(RequestTraces traces) {
			return new BoundedHttp(traces);
		}

		/** Comes after Boot, which would open the port to all, with any connections. */
		@Bean
		@Order(Ordered.LOWEST_PRECEDENCE)
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> addressOfOperators(Environment settings) {
			InetAddress own = settings.getProperty("management.server.address", InetAddress.class);
			InetAddress address = (own != null) ? own : settings.getProperty("server.address", InetAddress.class);
			return (factory) -> {
				factory.setAddress(address);
				factory.addConnectorCustomizers(
						(connector) -> connector.setProperty("maxConnections", OPERATORS_CONNECTIONS));
			};
		}

	}

	/**
	 * Comes first of all customizers: the valves of a service stand behind these, and
	 * what drains stands before all that bounds or measures.
	 */
	private record BoundedHttp(
			RequestTraces traces) implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>, Ordered {

		@Override
		public void customize(TomcatServletWebServerFactory factory) {
			factory.setProtocol(ImpatientHttpProtocol.class.getName());
			DrainingValve draining = new DrainingValve();
			factory.addConnectorCustomizers((connector) -> {
				connector.setProperty("socket.appWriteBufSize", WRITE_BUFFER);
				// each connection has room for them from its first request on
				connector.setProperty("maxTrailerSize", TRAILERS);
				// asks a client for its body when it is read, and not before it is
				// refused
				connector.setProperty("continueResponseTiming", "onRead");
				connector.addLifecycleListener(draining);
			});
			factory.addEngineValves(draining, this.traces, RequestLimitValve.ofHealth(OPERATORS),
					RequestLimitValve.ofMetrics(OPERATORS), RequestLimitValve.ofOperations(OPERATIONS));
			factory.addContextCustomizers((context) -> ((StandardHost) context.getParent())
				.setErrorReportValveClass(ProblemReportValve.class.getName()));
		}

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

	}

}
