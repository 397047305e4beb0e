package jobs.kafkatomongo.pipeline;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import jobs.chassis.operations.Part;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports whether the listeners make progress. Of several resources one that does is
 * enough: whoever reads the others' documents needs this service as well.
 */
class ListenersHealth implements HealthIndicator {

	private final ObjectProvider<Pipelines> pipelines;

	ListenersHealth(ObjectProvider<Pipelines> pipelines) {
		this.pipelines = pipelines;
	}

	@Override
	public Health health() {
		List<Part> parts = this.pipelines.getObject().parts();
		if (parts.size() == 1) {
			return parts.getFirst().health();
		}
		Map<String, Object> details = new LinkedHashMap<>();
		boolean isAnyUp = false;
		for (Part part : parts) {
			Health one = part.health();
			isAnyUp |= one.getStatus().equals(Status.UP);
			details.put(part.part(), Map.of("status", one.getStatus().getCode(), "details", one.getDetails()));
		}
		return (isAnyUp ? Health.up() : Health.down()).withDetails(details).build();
	}

}
