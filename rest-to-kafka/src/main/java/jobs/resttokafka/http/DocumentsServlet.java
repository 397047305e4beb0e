package jobs.resttokafka.http;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.access.Identity;
import jobs.chassis.access.RateLimit;
import jobs.chassis.access.RateLimits;
import jobs.chassis.access.Recheck;
import jobs.chassis.operations.Tracing;
import jobs.contract.resources.Resource;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.intake.DocumentIntake;
import jobs.resttokafka.intake.DocumentMemory;
import jobs.resttokafka.intake.RequestBody;
import jobs.resttokafka.intake.Uploads;
import jobs.resttokafka.publish.DocumentIds;
import jobs.resttokafka.publish.Origin;
import org.apache.coyote.BadRequestException;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.MediaType;

/**
 * Answers {@code POST} to the path of a resource, as {@code /jobs}: one document with 202
 * once Kafka has it, or an upload of many (NDJSON) line by line. It is a servlet and no
 * controller, since it reads and writes raw bytes, for an upload both at once. Requests
 * beyond its places get 503, so that a topic that takes no documents leaves places to
 * other resources.
 */
class DocumentsServlet extends HttpServlet {

	private static final String PREFERENCE_APPLIED = "Preference-Applied";

	/** The methods that there are, for {@code Allow}. */
	static final String METHODS = "POST,OPTIONS";

	private final transient Resource resource;

	private final transient Semaphore places;

	private final transient RestToKafkaProperties properties;

	/** Where stored documents are found, up to their ids. */
	private final String location;

	private final transient DocumentIds ids;

	private final transient DocumentIntake intake;

	private final transient Uploads uploads;

	private final transient DocumentMemory memory;

	private final transient RequestMetrics metrics;

	private final transient RateLimits rateLimits;

	DocumentsServlet(Resource resource, int places, RestToKafkaProperties properties, DocumentIds ids,
			DocumentIntake intake, Uploads uploads, DocumentMemory memory, RateLimits rateLimits,
			RequestMetrics metrics) {
		this.resource = resource;
		this.places = new Semaphore(places);
		this.properties = properties;
		// beside the jobs, whose address is the one that is set
		this.location = location(resource, properties.jobsUrl().toString());
		this.ids = ids;
		this.intake = intake;
		this.uploads = uploads;
		this.memory = memory;
		this.rateLimits = rateLimits;
		this.metrics = metrics;
	}

	private static String location(Resource resource, String documents) {
		if (resource.isJobs()) {
			return documents + "/";
		}
		String address = documents.replaceFirst("/+$", "");
		int last = address.lastIndexOf('/');
		boolean hasPath = last > address.indexOf("//") + 1;
		return (hasPath ? address.substring(0, last) : address) + resource.path() + "/";
	}

	@Override
	protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (request.getMethod().equals("OPTIONS")) {
			response.setHeader("Allow", METHODS);
			return;
		}
		boolean hasPlace = this.places.tryAcquire();
		try {
			if (!hasPlace) {
				throw new RefusedException(Reason.NO_ROOM,
						"Too many requests for %s at once".formatted(this.resource.path()));
			}
			doPost(request, response);
		}
		catch (RefusedException ex) {
			if (!response.isCommitted()) {
				response.resetBuffer();
				response.setHeader(PREFERENCE_APPLIED, null);
				StatusCodes.refuse(response, ex);
			}
		}
		finally {
			this.places.release(hasPlace ? 1 : 0);
		}
	}

	/** Has this name because Tomcat takes the methods for {@code Allow} from it. */
	@Override
	protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
		RequestHeaders headers = RequestHeaders.of(request, this.resource);
		String key = headers.idempotencyKey();
		Origin origin = new Origin(Objects.toString(request.getAttribute(Tracing.HEADER), null), headers.cloudEvent());
		RateLimit rateLimit = rateLimit(request, response);
		BooleanSupplier atHand = (BooleanSupplier) request.getAttribute(AfterAnswerValve.IS_AT_HAND);
		RequestBody body = new RequestBody(new BodyStream(request), atHand, this.resource,
				this.properties.bodyTimeout(), this.memory);
		if (headers.type().equals(RequestHeaders.NDJSON)) {
			boolean isMinimal = RequestHeaders.Prefer.isMinimal(request);
			response.setContentType(RequestHeaders.NDJSON.toString());
			response.setHeader(PREFERENCE_APPLIED, isMinimal ? RequestHeaders.Prefer.MINIMAL : null);
			this.uploads.run(body, new OutcomeLines(response, this.metrics, this.resource, isMinimal), key, origin,
					Recheck.of(request), rateLimit);
		}
		else {
			acceptOne(request, response, body, this.ids.forRequest(key), origin, rateLimit);
		}
	}

	/** Throws RefusedException where the client must wait before it sends more. */
	private RateLimit rateLimit(HttpServletRequest request, HttpServletResponse response) {
		if (!(request.getUserPrincipal() instanceof Identity client)) {
			return RateLimit.UNLIMITED;
		}
		RateLimit rateLimit = this.rateLimits.of(client.name(), client.limit());
		long nanos = this.rateLimits.nanosToWait(rateLimit);
		if (nanos > 0) {
			response.setHeader("Retry-After",
					Long.toString(Duration.ofNanos(nanos).plusNanos(999_999_999).toSeconds()));
			throw new RefusedException(Reason.TOO_MANY, "This client has sent more than it may for now");
		}
		return rateLimit;
	}

	private void acceptOne(HttpServletRequest request, HttpServletResponse response, RequestBody body, String id,
			Origin origin, RateLimit rateLimit) throws IOException {
		long length = request.getContentLengthLong();
		long largest = this.resource.maxSize();
		rateLimit.takeDocument();
		rateLimit.takeBytes((length >= 0 && length < largest) ? length : largest);
		if (length > largest) {
			throw RefusedException.tooLarge(this.resource);
		}
		this.intake.accept(this.resource, id, body.readDocument(), origin, (document) -> {
			response.setStatus(HttpServletResponse.SC_ACCEPTED);
			response.setContentType(MediaType.APPLICATION_JSON_VALUE);
			response.setHeader("Location", this.location + id);
			writeWithId(response.getOutputStream(), id, document);
		});
	}

	/** Writes the document as it was sent, with its id as the first field. */
	private void writeWithId(ServletOutputStream out, String id, byte[] document) throws IOException {
		int brace = 0;
		while (document[brace] != '{') {
			brace++;
		}
		int next = brace + 1;
		while (Character.isWhitespace(document[next])) {
			next++;
		}
		out.print("{\"" + this.resource.idField() + "\":\"" + id + ((document[next] == '}') ? "\"" : "\","));
		out.write(document, brace + 1, document.length - brace - 1);
		out.write('\n');
	}

	/**
	 * The body of a request. Where a read times out or the body breaks off, Tomcat would
	 * answer 408 or 400 by itself: it drops what is written after that, and cuts off an
	 * answer that has begun. Here whoever reads decides what is answered.
	 */
	private static final class BodyStream extends FilterInputStream {

		private final Runnable forgetFailure;

		private boolean isBroken;

		/** The body of a request that has passed {@link AfterAnswerValve}. */
		BodyStream(HttpServletRequest request) throws IOException {
			super(request.getInputStream());
			this.forgetFailure = (Runnable) request.getAttribute(AfterAnswerValve.FORGET_FAILURE);
		}

		@Override
		public int read(byte[] bytes, int from, int length) throws IOException {
			try {
				if (!this.isBroken) {
					return super.read(bytes, from, length);
				}
			}
			catch (IOException ex) {
				Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
				if (cause instanceof SocketTimeoutException timeout) {
					this.forgetFailure.run();
					throw timeout;
				}
				forgetIfBroken(ex);
			}
			throw new EOFException("The body breaks off");
		}

		/** Tells of a byte where the body is broken: the next read says so. */
		@Override
		public int available() throws IOException {
			try {
				return this.isBroken ? 1 : super.available();
			}
			catch (IOException ex) {
				forgetIfBroken(ex);
				return 1;
			}
		}

		/** Throws what says that the client is gone. */
		private void forgetIfBroken(IOException failure) throws IOException {
			Throwable cause = failure;
			while (!(cause instanceof BadRequestException || cause instanceof EOFException)) {
				cause = cause.getCause();
				if (cause == null) {
					throw failure;
				}
			}
			this.isBroken = true;
			this.forgetFailure.run();
		}

	}

}
