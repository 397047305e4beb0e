package jobs.chassis.operations;

import java.util.List;

import io.opentelemetry.api.trace.SpanContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class TracingTests {

	private static final String TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

	@Test
	void readsAndWritesAContext() {
		SpanContext context = Tracing.parse(TRACEPARENT);

		assertThat(context.isValid()).isTrue();
		assertThat(context.isSampled()).isTrue();
		assertThat(Tracing.format(context)).isEqualTo(TRACEPARENT);
	}

	@ParameterizedTest
	@NullAndEmptySource
	@ValueSource(strings = { "nonsense", "00-00000000000000000000000000000000-b7ad6b7169203331-01",
			"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", TRACEPARENT + "-x" })
	void takesNothingElseForAContext(String traceparent) {
		assertThat(Tracing.parse(traceparent).isValid()).isFalse();
	}

	@Test
	void makesNoSpansWithoutAnAddressAndGoesOnWithTheCallersTrace() {
		Tracing tracing = new Tracing("test", "", 1, List.of());

		assertThat(tracing.isOn()).isFalse();
		assertThat(tracing.span("request", Tracing.parse(TRACEPARENT)).startSpan().getSpanContext().getTraceId())
			.isEqualTo("0af7651916cd43dd8448eb211c80319c");
	}

}
