package jobs.chassis.operations;

import java.time.Duration;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * Takes leave for the time in {@code jobs.farewell}, before a service stops. Where it is
 * not set, nothing is in the way.
 */
@AutoConfiguration
@ConditionalOnProperty("jobs.farewell")
class ConnectionDrainingAutoConfiguration {

	/** The longest time, since what supervises a service waits no longer. */
	private static final Duration MOST = Duration.ofSeconds(20);

	/** Throws IllegalStateException where the time is negative or above 20 s. */
	@Bean
	ConnectionDraining farewell(@Value("${jobs.farewell}") Duration time, ApplicationContext context) {
		if (time.isNegative() || time.compareTo(MOST) > 0) {
			throw new IllegalStateException(
					"jobs.farewell must be 0s to %d s, and is %s".formatted(MOST.toSeconds(), time));
		}
		return new ConnectionDraining(time, context);
	}

	@Bean
	WebServerFactoryCustomizer<TomcatServletWebServerFactory> farewellValve(ConnectionDraining farewell) {
		return (factory) -> factory.addEngineValves(farewell.valve());
	}

}
