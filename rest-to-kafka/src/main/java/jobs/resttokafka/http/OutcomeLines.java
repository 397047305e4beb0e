package jobs.resttokafka.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;

import io.micrometer.core.instrument.Counter;
import jakarta.servlet.http.HttpServletResponse;
import jobs.resttokafka.intake.OutcomeWriter;
import jobs.resttokafka.limits.RefusedException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the outcomes of an upload, as a line of JSON for each line. A minimal answer has
 * only those of refused lines, and the counts at its end. So it stays small enough for a
 * client that reads nothing before it has sent everything.
 */
class OutcomeLines implements OutcomeWriter {

	private static final JsonMapper JSON = new JsonMapper(
			JsonFactory.builder().rootValueSeparator((String) null).build());

	private final HttpServletResponse response;

	private final RequestMetrics metrics;

	private final Counter acceptedLines;

	private final boolean isMinimal;

	/** The line that is being written. */
	private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

	/** Field by field: a mapper took a tenth of an upload's CPU time. */
	private final JsonGenerator json = JSON.createGenerator(this.bytes);

	private long accepted;

	private long refused;

	/** Whether there is something to flush. */
	private boolean isUnsent;

	OutcomeLines(HttpServletResponse response, RequestMetrics metrics, boolean isMinimal) {
		this.response = response;
		this.metrics = metrics;
		this.acceptedLines = metrics.lines(HttpServletResponse.SC_ACCEPTED);
		this.isMinimal = isMinimal;
	}

	@Override
	public void accepted(long line, String id) throws IOException {
		this.accepted++;
		this.acceptedLines.increment();
		if (!this.isMinimal) {
			begin(line, HttpServletResponse.SC_ACCEPTED);
			this.json.writeStringProperty("id", id);
			endLine();
		}
	}

	@Override
	public void refused(long line, RefusedException refusal) throws IOException {
		int status = StatusCodes.of(refusal.reason());
		this.refused++;
		this.metrics.lines(status).increment();
		begin(line, status);
		this.json.writeStringProperty("detail", refusal.detail());
		if (!refusal.violations().isEmpty()) {
			this.json.writePOJOProperty("errors", refusal.violations());
		}
		endLine();
	}

	@Override
	public void end() throws IOException {
		if (this.isMinimal) {
			this.json.writeStartObject();
			this.json.writeNumberProperty("lines", this.accepted + this.refused);
			this.json.writeNumberProperty("accepted", this.accepted);
			this.json.writeNumberProperty("refused", this.refused);
			endLine();
		}
	}

	private void begin(long line, int status) {
		this.json.writeStartObject();
		this.json.writeNumberProperty("line", line);
		this.json.writeNumberProperty("status", status);
	}

	private void endLine() throws IOException {
		this.json.writeEndObject();
		this.json.writeRaw('\n');
		this.json.flush();
		this.bytes.writeTo(this.response.getOutputStream());
		this.bytes.reset();
		this.isUnsent = true;
	}

	@Override
	public void flush() throws IOException {
		if (this.isUnsent) {
			this.response.flushBuffer();
			this.isUnsent = false;
		}
	}

	@Override
	public boolean isCommitted() {
		return this.response.isCommitted();
	}

}
