package jobs.chassis.operations;

import java.time.Instant;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Another program that a service depends on. A subclass asks it and notes the outcome
 * here; each change is a line in the log.
 */
public abstract class Backend implements Part {

	private static final Logger logger = LoggerFactory.getLogger(Backend.class);

	private final String name;

	private volatile Health health;

	private Instant since = Instant.EPOCH;

	/** Names the backend as people do. */
	protected Backend(String name) {
		this.name = name;
		this.health = Health.outOfService().withDetail("reason", name + " has not been asked yet").build();
	}

	@Override
	public Health health() {
		return this.health;
	}

	/** Notes that the backend answers. */
	protected void up() {
		if (!this.health.getStatus().equals(Status.UP)) {
			this.health = Health.up().build();
			logger.info("{} is UP", this.name);
		}
	}

	/** Notes why the backend is not ready yet, though nothing is wrong, in a sentence. */
	protected void notYet(String reason) {
		this.health = Health.outOfService().withDetail("reason", reason).build();
	}

	/** Notes why the backend is of no use now, in a sentence. */
	protected void down(String reason) {
		if (!this.health.getStatus().equals(Status.DOWN)) {
			this.since = Instant.now();
			logger.warn("{} is DOWN: {}", this.name, reason);
		}
		this.health = Health.down().withDetail("reason", reason).withDetail("since", this.since).build();
	}

}
