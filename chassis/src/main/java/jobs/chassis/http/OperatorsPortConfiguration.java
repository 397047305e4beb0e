package jobs.chassis.http;

import java.net.InetAddress;

import jobs.chassis.operations.RequestTraces;
import jobs.chassis.operations.Tracing;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Bounds a port of operators' own ({@code management.server.port}). It stands alone: as a
 * member of another configuration it would count for the service's port as well.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class OperatorsPortConfiguration {

	/** Connections to the port. */
	private static final String CONNECTIONS = "100";

	/** Requests to the port that are for neither health nor metrics; beyond: 503. */
	private static final int OTHERS = 20;

	@Bean
	BoundedHttp boundedHttp(Tracing tracing) {
		return new BoundedHttp(new RequestTraces(tracing));
	}

	@Bean
	OperatorsAddress operatorsAddress(Environment settings) {
		InetAddress own = settings.getProperty("management.server.address", InetAddress.class);
		return new OperatorsAddress((own != null) ? own : settings.getProperty("server.address", InetAddress.class));
	}

	/**
	 * Comes after Boot, which would open the port to all, with any connections.
	 *
	 * @param address where the port listens, {@code null} for everywhere
	 */
	private record OperatorsAddress(@Nullable InetAddress address)
			implements
				WebServerFactoryCustomizer<TomcatServletWebServerFactory>,
				Ordered {

		@Override
		public void customize(TomcatServletWebServerFactory factory) {
			factory.setAddress(this.address);
			factory.addEngineValves(new RequestLimitValve(OTHERS));
			factory.addConnectorCustomizers((connector) -> connector.setProperty("maxConnections", CONNECTIONS));
		}

		@Override
		public int getOrder() {
			return Ordered.LOWEST_PRECEDENCE;
		}

	}

}
