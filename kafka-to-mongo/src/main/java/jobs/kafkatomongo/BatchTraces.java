package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Goes on with the traces that the records of a batch bring along: in each a span for
 * what the batch does, and within it one for the insert.
 */
class BatchTraces {

	/** Traces of one batch that are gone on with. */
	private static final int MAX_TRACES = 100;

	/** Traces that a log line names. */
	private static final int MAX_NAMED = 5;

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
			String traceparent = traceparent(record);
			if (traceparent != null && (counts.size() < MAX_TRACES || counts.containsKey(traceparent))) {
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

	/**
	 * Names the traces of some records in a log line, the first few.
	 */
	static LoggingEventBuilder name(LoggingEventBuilder line, Iterable<? extends ConsumerRecord<?, ?>> records) {
		String ids = StreamSupport.stream(records.spliterator(), false)
			.map((record) -> Tracing.parse(traceparent(record)))
			.filter(SpanContext::isValid)
			.map(SpanContext::getTraceId)
			.distinct()
			.limit(MAX_NAMED)
			.collect(Collectors.joining(","));
		return ids.isEmpty() ? line : line.addKeyValue(Tracing.TRACE_ID, ids);
	}

	/**
	 * The trace that a record brings along, as it stands in its header.
	 */
	static @Nullable String traceparent(ConsumerRecord<?, ?> record) {
		Header header = record.headers().lastHeader(Tracing.HEADER);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.US_ASCII)
				: null;
	}

	/**
	 * What the traces of a batch are told.
	 */
	final class Batch {

		private final List<Span> spans;

		private Batch(List<Span> spans) {
			this.spans = spans;
		}

		/**
		 * Notes that the batch was inserted.
		 * @param start when the insert began
		 */
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

		/**
		 * Ends the spans of the batch.
		 * @param isSafe whether the whole batch is where it belongs
		 */
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
