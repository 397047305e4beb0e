package jobs.kafkatomongo.document;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.opentelemetry.api.trace.SpanContext;
import jobs.chassis.operations.Tracing;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/** Reads the traces that records carry. */
public final class RecordTraces {

	/** Traces that a log line names. */
	private static final int TRACES_NAMED = 5;

	private RecordTraces() {
	}

	/** The record's header {@code traceparent}, of whatever content, or {@code null}. */
	public static @Nullable String traceparent(ConsumerRecord<?, ?> record) {
		Header header = record.headers().lastHeader(Tracing.HEADER);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.US_ASCII)
				: null;
	}

	/** Adds the ids of at most {@link #TRACES_NAMED} traces to a log line. */
	public static LoggingEventBuilder name(LoggingEventBuilder line, Iterable<? extends ConsumerRecord<?, ?>> records) {
		String ids = StreamSupport.stream(records.spliterator(), false)
			.map((record) -> Tracing.parse(traceparent(record)))
			.filter(SpanContext::isValid)
			.map(SpanContext::getTraceId)
			.distinct()
			.limit(TRACES_NAMED)
			.collect(Collectors.joining(","));
		return ids.isEmpty() ? line : line.addKeyValue(Tracing.TRACE_ID, ids);
	}

}
