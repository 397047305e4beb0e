package jobs.chassis.http;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.operations.RequestTraces;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.coyote.AbstractProtocol;
import org.jspecify.annotations.Nullable;

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

	/**
	 * Bytes of the buffer through which a connection is read, beside the head: half of
	 * Tomcat's, so that a head may have twice as many in the same memory.
	 */
	private static final String READ_BUFFER = "4096";

	/** Bytes of the fields after a chunked body; beyond: 400. */
	private static final String TRAILERS = "1024";

	@Override
	public void customize(TomcatServletWebServerFactory factory) {
		factory.setProtocol(ImpatientHttpProtocol.class.getName());
		LingeringCloseValve draining = new LingeringCloseValve();
		factory.addConnectorCustomizers((connector) -> {
			connector.setProperty("socket.appReadBufSize", READ_BUFFER);
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

	/**
	 * Answers with a {@link Problem} where nothing else has answered: Tomcat's own
	 * errors, such as a malformed request line, and exceptions of servlets.
	 */
	public static class ProblemReportValve extends ErrorReportValve {

		private final TomcatRefusals refusals = new TomcatRefusals();

		@Override
		protected void report(Request request, Response response, @Nullable Throwable failure) {
			int status = response.getStatus();
			if (status < 400 || response.getContentWritten() > 0 || !response.setErrorReported()) {
				return;
			}
			try {
				Problem problem = isStopping(request, status) ? Problem.unavailable("Stopping")
						: this.refusals.problem(request, status, failure);
				problem.writeTo(response.getResponse());
				response.finishResponse();
			}
			catch (IOException | IllegalStateException ex) {
				this.container.getLogger().debug("The client is gone", ex);
			}
		}

		/**
		 * Whether a service that stops is why Tomcat calls a request wrong, which a
		 * client would not send again.
		 */
		private static boolean isStopping(Request request, int status) {
			return switch (status) {
				// the services have one context, which answers all paths until they stop
				case HttpServletResponse.SC_NOT_FOUND -> request.getContext() == null;
				// paused behind the request line, Tomcat reads no headers, and takes
				// the request for one without a host
				case HttpServletResponse.SC_BAD_REQUEST ->
					request.getConnector().getProtocolHandler() instanceof AbstractProtocol<?> protocol
							&& protocol.isPaused();
				default -> false;
			};
		}

	}

}
