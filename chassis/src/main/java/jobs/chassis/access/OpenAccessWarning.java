package jobs.chassis.access;

import java.net.InetAddress;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.EventListener;

/** Says at the start that whoever reaches a service may use it, where that is so. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "jobs.security.enabled", havingValue = false, matchIfMissing = true)
class OpenAccessWarning {

	private static final Logger logger = LoggerFactory.getLogger(OpenAccessWarning.class);

	private final @Nullable InetAddress address;

	private final @Nullable InetAddress addressOfOperators;

	OpenAccessWarning(@Value("${server.address:#{null}}") @Nullable InetAddress address,
			@Value("${management.server.address:${server.address:#{null}}}") @Nullable InetAddress operators) {
		this.address = address;
		this.addressOfOperators = operators;
	}

	@EventListener(ApplicationReadyEvent.class)
	void say() {
		if (isOpen(this.address) || isOpen(this.addressOfOperators)) {
			logger.warn("Whoever reaches this service over the network may use all of it: "
					+ "set jobs.security.enabled to ask for keys or tokens");
		}
	}

	private static boolean isOpen(@Nullable InetAddress address) {
		return address == null || !address.isLoopbackAddress();
	}

}
