package jobs.resttokafka.http;

import java.io.IOException;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import jakarta.servlet.http.HttpServletResponse;
import jobs.contract.Violation;
import jobs.resttokafka.intake.OutcomeWriter;
import jobs.resttokafka.limits.RefusedException;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Writes the outcomes of an upload, as a line of JSON for each line. */
class OutcomeLines implements OutcomeWriter {

	private static final JsonMapper JSON = new JsonMapper();

	private final HttpServletResponse response;

	private final RequestMetrics metrics;

	OutcomeLines(HttpServletResponse response, RequestMetrics metrics) {
		this.response = response;
		this.metrics = metrics;
	}

	@Override
	public void accepted(long line, String id) throws IOException {
		write(new Outcome(line, HttpServletResponse.SC_ACCEPTED, id, null, List.of()));
	}

	@Override
	public void refused(long line, RefusedException refusal) throws IOException {
		write(new Outcome(line, StatusCodes.of(refusal.reason()), null, refusal.detail(), refusal.violations()));
	}

	private void write(Outcome outcome) throws IOException {
		this.response.getOutputStream().write(JSON.writeValueAsBytes(outcome));
		this.response.getOutputStream().write('\n');
		this.metrics.line(outcome.status());
	}

	@Override
	public void flush() throws IOException {
		this.response.flushBuffer();
	}

	@Override
	public boolean isCommitted() {
		return this.response.isCommitted();
	}

	/** What became of a line. */
	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	@JsonPropertyOrder({ "line", "status", "id", "detail", "errors" })
	private record Outcome(long line, int status, @Nullable String id, @Nullable String detail,
			List<Violation> errors) {

	}

}
