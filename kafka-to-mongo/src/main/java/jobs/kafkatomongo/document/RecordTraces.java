package jobs.kafkatomongo.document;

import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.opentelemetry.api.trace.SpanContext;
import jobs.chassis.tracing.Tracing;
import jobs.kafkatomongo.limits.Limits;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The traces that records bring along.
 */
public final class RecordTraces {

	private RecordTraces() {
	}

	/**
	 * The trace that a record brings along.
	 * @param record the record
	 * @return its header {@code traceparent}, of whatever content, or {@code null}
	 */
	public static @Nullable String traceparent(ConsumerRecord<?, ?> record) {
		Header header = record.headers().lastHeader(Tracing.HEADER);
		return (header != null && header.value() != null) ? new String(header.value(), StandardCharsets.US_ASCII)
				: null;
	}

	/**
	 * Names the traces of some records in a log line, the first few.
	 * @param line the line
	 * @param records the records
	 * @return the line
	 */
	public static LoggingEventBuilder name(LoggingEventBuilder line, Iterable<? extends ConsumerRecord<?, ?>> records) {
		String ids = StreamSupport.stream(records.spliterator(), false)
			.map((record) -> Tracing.parse(traceparent(record)))
			.filter(SpanContext::isValid)
			.map(SpanContext::getTraceId)
			.distinct()
			.limit(Limits.TRACES_NAMED.count())
			.collect(Collectors.joining(","));
		return ids.isEmpty() ? line : line.addKeyValue(Tracing.TRACE_ID, ids);
	}

}
