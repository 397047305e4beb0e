package jobs.kafkatomongo.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import jobs.chassis.operations.Tracing;
import jobs.kafkatomongo.document.RecordTraces;
import org.apache.kafka.clients.consumer.ConsumerRecord;

import org.springframework.stereotype.Component;

/**
 * Continues the traces of a batch's records: each trace gets a span for the batch, and
 * within it a span for the insert.
 */
@Component
class BatchTraces {

	/** Traces of a batch that are gone on with. */
	private static final int TRACES = 100;

	private final Tracing tracing;

	BatchTraces(Tracing tracing) {
		this.tracing = tracing;
	}

	Batch start(List<ConsumerRecord<byte[], byte[]>> records) {
		if (!this.tracing.isOn()) {
			return new Batch(List.of());
		}
		Map<String, Integer> counts = new HashMap<>();
		for (ConsumerRecord<byte[], byte[]> record : records) {
			String traceparent = RecordTraces.traceparent(record);
			if (traceparent != null && (counts.size() < TRACES || counts.containsKey(traceparent))) {
				counts.merge(traceparent, 1, Integer::sum);
			}
		}
		List<Span> spans = new ArrayList<>();
		counts.forEach((traceparent, count) -> {
			SpanContext caller = Tracing.parse(traceparent);
			if (caller.isSampled()) {
				spans.add(this.tracing.span("store jobs", caller)
					.setSpanKind(SpanKind.CONSUMER)
					.setAttribute("messaging.batch.message_count", count)
					.startSpan());
			}
		});
		return new Batch(spans);
	}

	/** The spans of one batch. */
	final class Batch {

		private final List<Span> spans;

		private Batch(List<Span> spans) {
			this.spans = spans;
		}

		/** Adds a span for the insert, which began at {@code start}. */
		void inserted(Instant start) {
			for (Span span : this.spans) {
				BatchTraces.this.tracing.span("insert jobs", span.getSpanContext())
					.setSpanKind(SpanKind.CLIENT)
					.setAttribute("db.system.name", "mongodb")
					.setStartTimestamp(start)
					.startSpan()
					.end();
			}
		}

		/** Ends the spans, with an error unless the whole batch is safe. */
		void end(boolean isSafe) {
			for (Span span : this.spans) {
				if (!isSafe) {
					span.setStatus(StatusCode.ERROR, "The batch can't be stored now and will be tried again");
				}
				span.end();
			}
		}

	}

}
