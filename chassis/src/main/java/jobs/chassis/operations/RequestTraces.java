package jobs.chassis.operations;

import java.io.IOException;
import java.util.List;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.http.HttpMethod;
import org.springframework.web.ErrorResponse;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Gives each request a span, its trace id in log lines and problems, and an attribute
 * {@value Tracing#HEADER} for records.
 */
public class RequestTraces extends ValveBase implements WebMvcConfigurer {

	private final transient Tracing tracing;

	/** A valve for one port: a valve knows one next one. */
	public RequestTraces(Tracing tracing) {
		super(true);
		this.tracing = tracing;
	}

	/** The trace id of the current request, or {@code null}. */
	public static @Nullable String id() {
		return MDC.get(Tracing.TRACE_ID);
	}

	@Override
	public void addErrorResponseInterceptors(List<ErrorResponse.Interceptor> interceptors) {
		interceptors.add((problem, response) -> {
			if (id() != null) {
				problem.setProperty(Tracing.TRACE_ID, id());
			}
		});
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		String traceparent = request.getHeader(Tracing.HEADER);
		if ((traceparent == null && !this.tracing.isOn()) || !this.tracing.isTraced(request.getDecodedRequestURI())) {
			getNext().invoke(request, response);
			return;
		}
		Span span = this.tracing.span("request", Tracing.parse(traceparent)).setSpanKind(SpanKind.SERVER).startSpan();
		SpanContext context = span.getSpanContext();
		if (context.isValid()) {
			request.setAttribute(Tracing.HEADER, Tracing.format(context));
			MDC.put(Tracing.TRACE_ID, context.getTraceId());
		}
		try {
			getNext().invoke(request, response);
		}
		finally {
			MDC.remove(Tracing.TRACE_ID);
			span.updateName(name(request)).setAttribute("http.response.status_code", response.getStatus());
			span.end();
		}
	}

	/** The span's name: method and route, which are few whatever clients ask for. */
	private static String name(Request request) {
		Object route = request.getAttribute(HandlerMapping.BEST_MATCHING_PATTERN_ATTRIBUTE);
		// a malformed request line has no method
		String method = request.getMethod();
		boolean isKnown = method != null && List.of(HttpMethod.values()).contains(HttpMethod.valueOf(method));
		return (isKnown ? method : "HTTP") + " "
				+ ((route != null) ? route : request.getHttpServletMapping().getPattern());
	}

}
