package jobs.chassis.operations;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * A part without which a service is not ready: a backend, or the work itself. Unless it
 * is UP, its health has the details {@code reason} (a sentence) and {@code since} (a
 * time), as far as they are known.
 */
public interface Part extends HealthIndicator {

	@Override
	Health health();

	/** The name of the part in metrics. */
	String part();

}
