package jobs.chassis.access;

import java.util.HashMap;
import java.util.Map;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * Reads {@code jobs.security.enabled} once, so that each condition takes {@code yes},
 * {@code on} and the like as this does: none may stay open while another is shut. While
 * security is on, the details of the health are shown to nobody without the role.
 */
final class SecuritySwitch implements EnvironmentPostProcessor {

	private static final String SWITCH = "jobs.security.enabled";

	/** Throws an exception for what is neither true nor false, which ends the start. */
	@Override
	public void postProcessEnvironment(ConfigurableEnvironment environment, SpringApplication application) {
		// a variable that was forgotten must not leave a service open
		String text = environment.getProperty(SWITCH);
		if (text != null && text.isBlank()) {
			throw new IllegalStateException("%s is set and empty: set it to true or false".formatted(SWITCH));
		}
		boolean isOn = environment.getProperty(SWITCH, Boolean.class, false);
		Map<String, Object> settings = new HashMap<>(Map.of(SWITCH, Boolean.toString(isOn)));
		if (isOn) {
			settings.put("management.endpoint.health.show-details", "when-authorized");
			settings.put("management.endpoint.health.roles", AccessRules.OPERATIONS_READ);
		}
		environment.getPropertySources().addFirst(new MapPropertySource("jobs.security", settings));
	}

}
