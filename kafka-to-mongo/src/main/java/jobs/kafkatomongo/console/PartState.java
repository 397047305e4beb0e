package jobs.kafkatomongo.console;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import jobs.chassis.operations.Part;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.Health;

/**
 * How a part is, as the page gets it.
 *
 * @param state {@code UP}, or another status of Spring Boot's
 * @param reason why it is not up, in a sentence
 * @param since since when it is not up, in milliseconds since 1970
 */
record PartState(String name, String state, @Nullable String reason, @Nullable Long since) {

	static PartState of(Part part) {
		Health health = part.health();
		Map<String, Object> details = health.getDetails();
		Object reason = details.get("reason");
		return new PartState(part.part(), health.getStatus().getCode(),
				(reason != null) ? Objects.toString(reason) : null,
				(details.get("since") instanceof Instant since) ? since.toEpochMilli() : null);
	}

}
