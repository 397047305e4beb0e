package jobs.chassis.http;

import jobs.chassis.operations.RequestTraces;
import org.apache.catalina.core.StandardHost;

import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/**
 * Bounds Tomcat. It comes first of all customizers: the valves of a service stand behind
 * these, and what drains stands before all that bounds or measures.
 *
 * @param traces of the requests of one port, which no other may share
 */
record BoundedHttp(RequestTraces traces) implements WebServerFactoryCustomizer<TomcatServletWebServerFactory>, Ordered {

	/** Bytes of the buffer through which a connection's answers are written. */
	private static final String WRITE_BUFFER = "2048";

	/** Bytes of the fields after a chunked body; beyond: 400. */
	private static final String TRAILERS = "1024";

	@Override
	public void customize(TomcatServletWebServerFactory factory) {
		factory.setProtocol(ImpatientHttpProtocol.class.getName());
		LingeringCloseValve draining = new LingeringCloseValve();
		factory.addConnectorCustomizers((connector) -> {
			connector.setProperty("socket.appWriteBufSize", WRITE_BUFFER);
			// each connection has room for them from its first request on
			connector.setProperty("maxTrailerSize", TRAILERS);
			// asks a client for its body when it is read, and not before it is refused
			connector.setProperty("continueResponseTiming", "onRead");
			connector.addLifecycleListener(draining);
		});
		factory.addEngineValves(draining, this.traces);
		factory.addContextCustomizers((context) -> ((StandardHost) context.getParent())
			.setErrorReportValveClass(ProblemReportValve.class.getName()));
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

}
