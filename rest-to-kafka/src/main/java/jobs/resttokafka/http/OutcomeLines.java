package jobs.resttokafka.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import io.micrometer.core.instrument.Counter;
import jakarta.servlet.http.HttpServletResponse;
import jobs.contract.Violation;
import jobs.contract.resources.Resource;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.intake.Uploads;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes the outcomes of an upload, as a line of JSON for each line. A minimal answer has
 * only those of refused lines, and the counts at its end. So it stays small enough for a
 * client that reads nothing before it has sent everything.
 */
class OutcomeLines implements Uploads.OutcomeWriter {

	/** Bytes of an upload's outcomes that are sent together. */
	private static final int OUTCOMES_BYTES = 8192;

	private static final JsonMapper JSON = new JsonMapper();

	private final HttpServletResponse response;

	private final ByteArrayOutputStream together = new ByteArrayOutputStream(OUTCOMES_BYTES);

	private final RequestMetrics metrics;

	private final Resource resource;

	private final Counter acceptedLines;

	private final boolean isMinimal;

	private long accepted;

	private long refused;

	/** Whether there is something to flush. */
	private boolean isUnsent;

	OutcomeLines(HttpServletResponse response, RequestMetrics metrics, Resource resource, boolean isMinimal) {
		this.response = response;
		this.metrics = metrics;
		this.resource = resource;
		this.acceptedLines = metrics.lines(resource, HttpServletResponse.SC_ACCEPTED);
		this.isMinimal = isMinimal;
	}

	@Override
	public void accepted(long line, String id) throws IOException {
		this.accepted++;
		this.acceptedLines.increment();
		if (!this.isMinimal) {
			// a UUID needs no escapes, and a mapper takes a tenth of the CPU of an upload
			String text = this.resource.hasOwnIds() ? JSON.writeValueAsString(id) : "\"" + id + "\"";
			write(("{\"line\":" + line + ",\"status\":202,\"id\":" + text + "}").getBytes(StandardCharsets.UTF_8));
		}
	}

	@Override
	public void refused(long line, RefusedException refusal) throws IOException {
		int status = StatusCodes.of(refusal.reason());
		this.refused++;
		this.metrics.lines(this.resource, status).increment();
		write(JSON.writeValueAsBytes(new Refusal(line, status, refusal.detail(), refusal.violations())));
	}

	@Override
	public void end() throws IOException {
		if (this.isMinimal) {
			write(JSON.writeValueAsBytes(new Counts(this.accepted + this.refused, this.accepted, this.refused)));
		}
		send();
	}

	private void write(byte[] line) throws IOException {
		if (this.together.size() + line.length >= OUTCOMES_BYTES) {
			send();
		}
		// the room of a larger line would stay with the upload
		OutputStream out = (line.length < OUTCOMES_BYTES) ? this.together : this.response.getOutputStream();
		out.write(line);
		out.write('\n');
		this.isUnsent = true;
	}

	private void send() throws IOException {
		this.together.writeTo(this.response.getOutputStream());
		this.together.reset();
	}

	@Override
	public void flush() throws IOException {
		if (this.isUnsent) {
			send();
			this.response.flushBuffer();
			this.isUnsent = false;
		}
	}

	@Override
	public boolean isCommitted() {
		return this.response.isCommitted();
	}

	/** The counts of all outcomes. */
	@JsonPropertyOrder({ "lines", "accepted", "refused" })
	private record Counts(long lines, long accepted, long refused) {

	}

	/** Why a line was not accepted. */
	@JsonInclude(JsonInclude.Include.NON_EMPTY)
	@JsonPropertyOrder({ "line", "status", "detail", "errors" })
	private record Refusal(long line, int status, String detail, List<Violation> errors) {

	}

}
