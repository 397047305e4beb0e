package jobs.chassis.tls;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Refuses a second handshake on a connection of TLS 1.2: it costs a client nothing, and
 * no deadline is over it. Java reads the property before its first connection.
 */
final class NoRenegotiation implements EnvironmentPostProcessor {

	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
	}

}
