package jobs.chassis.tracing;

import java.time.Duration;
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
 * Traces (W3C Trace Context), sent by OTLP over HTTP where an address is given. Without
 * one nothing is traced, and a caller's trace is carried along.
 */
public class Tracing implements DisposableBean {

	/** The header of a request and of a record, see W3C Trace Context. */
	public static final String HEADER = "traceparent";

	/** The name of a trace's id in logs and problems. */
	public static final String TRACE_ID = "traceId";

	private static final Pattern TRACEPARENT = Pattern.compile("00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})");

	private final @Nullable SdkTracerProvider provider;

	private final Tracer tracer;

	/**
	 * Starts to trace.
	 * @param service the name of this service
	 * @param endpoint the base address of an OTLP receiver, or nothing
	 * @param share of the requests that come without a trace, from 0 to 1; the others
	 * have decided for themselves
	 */
	Tracing(String service, String endpoint, double share) {
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

	/**
	 * Whether spans are made: where there is an address to send them to.
	 */
	public boolean isOn() {
		return this.provider != null;
	}

	/**
	 * Prepares a span.
	 * @param name what is done
	 * @param parent what it is part of; an invalid context begins a trace
	 * @return the span, which the caller starts and ends
	 */
	public SpanBuilder span(String name, SpanContext parent) {
		return this.tracer.spanBuilder(name).setParent(Context.root().with(Span.wrap(parent)));
	}

	/**
	 * Reads the header {@value #HEADER}.
	 * @param traceparent the header, of whatever content
	 * @return the context, which is not valid where the header is missing or malformed
	 */
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
