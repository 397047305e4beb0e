package jobs.resttokafka.publish;

import java.nio.charset.StandardCharsets;
import java.util.Map;

import jobs.chassis.operations.Tracing;
import jobs.contract.HeaderNames;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * What a record tells of the request that brought its document.
 *
 * @param traceparent the request's trace, as the header of this name (W3C) has it
 * @param cloudEvent the attributes of a CloudEvent by their names; none where the request
 * was no event
 */
public record Origin(@Nullable String traceparent, Map<String, String> cloudEvent) {

	/**
	 * Adds the headers, as CloudEvents' binding for Kafka 1.0 names those of an event.
	 */
	void addTo(Headers headers) {
		if (this.traceparent != null) {
			headers.add(Tracing.HEADER, this.traceparent.getBytes(StandardCharsets.US_ASCII));
		}
		if (!this.cloudEvent.isEmpty()) {
			headers.add("content-type", "application/json".getBytes(StandardCharsets.US_ASCII));
			this.cloudEvent.forEach(
					(name, value) -> headers.add(HeaderNames.EVENT + name, value.getBytes(StandardCharsets.UTF_8)));
		}
	}

}
