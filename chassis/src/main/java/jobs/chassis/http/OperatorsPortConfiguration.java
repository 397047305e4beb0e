package jobs.chassis.http;

import java.net.InetAddress;

import jobs.chassis.tracing.RequestTraces;

import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Bounds a port of operators' own ({@code management.server.port}). It stands alone: as a
 * member of another configuration it would count for the service's port as well.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
class OperatorsPortConfiguration {

	/** Connections to the port. */
	private static final String CONNECTIONS = "100";

	@Bean
	BoundedHttp boundedHttp(RequestTraces traces) {
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
			factory.addConnectorCustomizers((connector) -> connector.setProperty("maxConnections", CONNECTIONS));
		};
	}

}
