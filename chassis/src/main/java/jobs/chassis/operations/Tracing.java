package jobs.chassis.operations;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;

/**
 * Makes spans (W3C Trace Context) and sends them by OTLP over HTTP. Without an endpoint
 * it makes none and passes a caller's trace on.
 */
public class Tracing implements DisposableBean {

	/** The header that carries a trace in requests and records (W3C Trace Context). */
	public static final String HEADER = "traceparent";

	/** The name of the trace id in logs and problems. */
	public static final String TRACE_ID = "traceId";

	private static final Pattern TRACEPARENT = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})");

	private final @Nullable SdkTracerProvider provider;

	private final Tracer tracer;

	/** The beginnings of paths whose requests stay without a trace. */
	private final List<String> untraced;

	/**
	 * Traces where {@code endpoint}, the base address of an OTLP receiver, is not blank.
	 * It samples the {@code share}, 0 to 1, of the requests that come without a trace. A
	 * caller's trace carries its own decision.
	 */
	Tracing(String service, String endpoint, double share, List<String> untraced) {
		this.untraced = untraced;
		this.provider = endpoint.isBlank() ? null : provider(service, endpoint, share);
		this.tracer = ((this.provider != null) ? this.provider : TracerProvider.noop()).get("jobs");
	}

	private static SdkTracerProvider provider(String service, String endpoint, double share) {
		OtlpHttpSpanExporter exporter = OtlpHttpSpanExporter.builder()
			.setEndpoint(endpoint.replaceFirst("/$", "") + "/v1/traces")
			.setTimeout(Duration.ofSeconds(5))
			.build();
		return SdkTracerProvider.builder()
			.setResource(Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), service)))
			.setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(share)))
			.addSpanProcessor(BatchSpanProcessor.builder(exporter).setScheduleDelay(Duration.ofSeconds(1)).build())
			.build();
	}

	/** Whether spans are made, because there is an endpoint to send them to. */
	public boolean isOn() {
		return this.provider != null;
	}

	/** Whether a request for a path, if it has one, may have a trace. */
	boolean isTraced(@Nullable String path) {
		return path == null || this.untraced.stream().noneMatch(path::startsWith);
	}

	/** Prepares a span to start and end; an invalid parent begins a new trace. */
	public SpanBuilder span(String name, SpanContext parent) {
		return this.tracer.spanBuilder(name).setParent(Context.root().with(Span.wrap(parent)));
	}

	/** Reads a trace header; a missing or malformed one gives an invalid context. */
	public static SpanContext parse(@Nullable String traceparent) {
		Matcher parts = TRACEPARENT.matcher((traceparent != null) ? traceparent : "");
		return parts.matches() ? SpanContext.createFromRemoteParent(parts.group(1), parts.group(2),
				TraceFlags.fromHex(parts.group(3), 0), TraceState.getDefault()) : SpanContext.getInvalid();
	}

	static String format(SpanContext context) {
		return "00-" + context.getTraceId() + "-" + context.getSpanId() + "-" + context.getTraceFlags().asHex();
	}

	@Override
	public void destroy() {
		if (this.provider != null) {
			this.provider.shutdown().join(5, TimeUnit.SECONDS);
		}
	}

}
