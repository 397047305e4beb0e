package jobs.resttokafka;

import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * {@code POST /jobs}: one job, answered with 202 once Kafka has it, or an upload of many
 * (NDJSON), answered line by line. A servlet and no controller, since it reads and writes
 * raw bytes, the upload's both ways at once.
 */
class JobsServlet extends HttpServlet {

	private static final MediaType NDJSON = MediaType.parseMediaType("application/x-ndjson");

	private final transient RestToKafkaProperties properties;

	private final transient JobIds ids;

	private final transient Contract contract;

	private final transient Publisher publisher;

	private final transient JobMetrics metrics;

	private final transient Semaphore memory;

	/** Half of {@link RequestBounds}: an upload may go on for ever. */
	private final transient Semaphore uploads = new Semaphore(250);

	/** Of some half a megabyte each. */
	private final transient Semaphore wideUploads = new Semaphore(16);

	/** The check of a large job takes some thirty times its size. */
	private final transient Semaphore largeChecks = new Semaphore(4);

	private volatile boolean stopping;

	JobsServlet(RestToKafkaProperties properties, JobIds ids, Contract contract, Publisher publisher,
			JobMetrics metrics) {
		this.properties = properties;
		this.ids = ids;
		this.contract = contract;
		this.publisher = publisher;
		this.metrics = metrics;
		int bytes = Math.toIntExact(properties.maxInFlight().toBytes());
		this.memory = new Semaphore(bytes);
		metrics.inFlight(() -> bytes - this.memory.availablePermits());
	}

	@EventListener(ContextClosedEvent.class)
	void stop() {
		this.stopping = true;
	}

	@Override
	protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
		try {
			requirePost(request);
			doPost(request, response);
		}
		catch (RefusedException ex) {
			refuse(response, ex);
		}
		finally {
			// Tomcat notes a read that timed out and would make 500 of its 408
			request.removeAttribute(RequestDispatcher.ERROR_EXCEPTION);
		}
	}

	private static void refuse(HttpServletResponse response, RefusedException refusal) throws IOException {
		if (response.isCommitted()) {
			// by Tomcat, which answers 408 itself
			return;
		}
		response.resetBuffer();
		refusal.writeTo(response);
	}

	@Override
	protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
		MediaType type = requireType(request);
		requireAcceptable(request, type);
		String key = idempotencyKey(request);
		BooleanSupplier atHand = (BooleanSupplier) request.getAttribute(RequestBounds.IS_AT_HAND);
		JobInput input = new JobInput(request.getInputStream(), atHand, this.properties, this.memory);
		if (type == NDJSON) {
			upload(response, input, key, traceparent(request));
		}
		else {
			acceptOne(request, response, input, this.ids.forRequest(key));
		}
	}

	private void upload(HttpServletResponse response, JobInput input, @Nullable String key,
			@Nullable String traceparent) throws IOException {
		if (!this.uploads.tryAcquire()) {
			throw RefusedException.unavailable("Too many uploads at once");
		}
		try {
			response.setContentType(NDJSON.toString());
			Upload.Submission submission = (ownKey, number, job) -> submit(ownKey, number, job, traceparent);
			new Upload(input, response, this.memory, this.wideUploads, this::isStopping, submission, this.metrics)
				.run(key);
		}
		finally {
			this.uploads.release();
		}
	}

	private void acceptOne(HttpServletRequest request, HttpServletResponse response, JobInput input, String id)
			throws IOException {
		if (request.getContentLengthLong() > this.properties.maxJobSize().toBytes()) {
			throw JobInput.tooLarge(this.properties);
		}
		byte[] job = input.readJob();
		try {
			check(job);
			this.publisher.publish(id, job, traceparent(request)).await();
			response.setStatus(HttpServletResponse.SC_ACCEPTED);
			response.setContentType(MediaType.APPLICATION_JSON_VALUE);
			response.setHeader("Location", this.properties.jobsUrl() + "/" + id);
			writeWithId(response.getOutputStream(), id, job);
		}
		finally {
			this.memory.release(job.length);
		}
	}

	private Upload.Line submit(@Nullable String key, long number, byte[] job, @Nullable String traceparent) {
		String id = this.ids.forLine(key, number);
		check(job);
		return new Upload.Line(number, id, job.length, this.publisher.publish(id, job, traceparent));
	}

	private static @Nullable String traceparent(HttpServletRequest request) {
		return (String) request.getAttribute(Tracing.HEADER);
	}

	private void check(byte[] job) {
		if (job.length <= JobInput.SMALL) {
			this.contract.check(job);
			return;
		}
		this.largeChecks.acquireUninterruptibly();
		try {
			this.contract.check(job);
		}
		finally {
			this.largeChecks.release();
		}
	}

	private boolean isStopping() {
		return this.stopping;
	}

	/**
	 * Writes the job as it was sent, with its id as the first field.
	 */
	private static void writeWithId(ServletOutputStream out, String id, byte[] job) throws IOException {
		int brace = 0;
		while (job[brace] != '{') {
			brace++;
		}
		int next = brace + 1;
		while (Character.isWhitespace(job[next])) {
			next++;
		}
		out.print("{\"id\":\"" + id + ((job[next] == '}') ? "\"" : "\","));
		out.write(job, brace + 1, job.length - brace - 1);
		out.write('\n');
	}

	private static void requirePost(HttpServletRequest request) {
		if (!request.getMethod().equals("POST")) {
			throw new RefusedException(405, "Jobs are sent here with POST", "Allow", "POST");
		}
	}

	private static MediaType requireType(HttpServletRequest request) {
		List<String> encodings = Collections.list(request.getHeaders("Content-Encoding"));
		if (!encodings.stream().allMatch("identity"::equalsIgnoreCase)) {
			throw new RefusedException(415, "Jobs are sent without a Content-Encoding", "Accept-Encoding", "identity");
		}
		List<String> types = Collections.list(request.getHeaders("Content-Type"));
		MediaType type = (types.size() == 1) ? parse(types.getFirst()) : null;
		if (type != null && isUtf8(type)) {
			if (type.equalsTypeAndSubtype(MediaType.APPLICATION_JSON)) {
				return MediaType.APPLICATION_JSON;
			}
			if (type.equalsTypeAndSubtype(NDJSON)) {
				return NDJSON;
			}
		}
		throw new RefusedException(415, "Jobs are sent as application/json or application/x-ndjson, in UTF-8", "Accept",
				"application/json, application/x-ndjson");
	}

	private static boolean isUtf8(MediaType type) {
		String charset = type.getParameter("charset");
		return charset == null || charset.replace("\"", "").equalsIgnoreCase("utf-8");
	}

	private static @Nullable MediaType parse(String type) {
		try {
			return MediaType.parseMediaType(type);
		}
		catch (InvalidMediaTypeException ex) {
			return null;
		}
	}

	private static void requireAcceptable(HttpServletRequest request, MediaType type) {
		List<String> accept = Collections.list(request.getHeaders("Accept"));
		try {
			boolean acceptable = accept.isEmpty() || MediaType.parseMediaTypes(accept)
				.stream()
				.filter((range) -> range.includes(type))
				.reduce((one, other) -> other.removeQualityValue().isMoreSpecific(one.removeQualityValue()) ? other
						: one)
				.filter((range) -> range.getQualityValue() > 0)
				.isPresent();
			if (!acceptable) {
				throw new RefusedException(406, "The answer comes as " + type);
			}
		}
		catch (InvalidMediaTypeException ex) {
			throw new RefusedException(406, "The Accept header is malformed");
		}
	}

	private static @Nullable String idempotencyKey(HttpServletRequest request) {
		List<String> keys = Collections.list(request.getHeaders("Idempotency-Key"));
		if (keys.isEmpty()) {
			return null;
		}
		String key = keys.getFirst();
		if (keys.size() > 1 || key.isBlank() || key.length() > 255
				|| !key.chars().allMatch((character) -> character >= ' ' && character <= '~')) {
			throw new RefusedException(400,
					"The Idempotency-Key must be one header of 1 to 255 printable ASCII characters");
		}
		return key;
	}

}
