package jobs.resttokafka.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

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
import org.jspecify.annotations.Nullable;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.http.MediaType;
import org.springframework.web.util.UriUtils;

/**
 * Answers {@code POST} to the path of a resource, as {@code /jobs}: one document with 202
 * once Kafka has it, or an upload of many (NDJSON) line by line; and {@code DELETE} where
 * documents have versions. It is a servlet and no controller, since it reads and writes
 * raw bytes, for an upload both at once. Requests beyond its places get 503, so that a
 * topic that takes no documents leaves places to other resources.
 */
class DocumentsServlet extends HttpServlet {

	/** Characters of a Location; a longer one is left out. */
	private static final int LOCATION_CHARACTERS = 1024;

	private static final String PREFERENCE_APPLIED = "Preference-Applied";

	private static final JsonMapper JSON = JsonMapper
		.builder(JsonFactory.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build())
		.build();

	/** What an id may have that stands in an address as it is. */
	private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]*");

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
		String address = documents.replaceFirst("/+$", "");
		if (resource.isJobs()) {
			return address + "/";
		}
		int last = address.lastIndexOf('/');
		boolean hasPath = last > address.indexOf("//") + 1;
		return (hasPath ? address.substring(0, last) : address) + resource.path() + "/";
	}

	@Override
	protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
		if (request.getMethod().equals("OPTIONS")) {
			response.setHeader("Allow", methods(request));
			return;
		}
		boolean hasPlace = this.places.tryAcquire();
		try {
			if (!hasPlace) {
				throw new RefusedException(Reason.NO_ROOM,
						"Too many requests for %s at once".formatted(this.resource.path()));
			}
			if (this.resource.hasVersions() && request.getMethod().equals("DELETE")) {
				delete(request, response);
			}
			else if (request.getPathInfo() == null) {
				doPost(request, response);
			}
			else {
				throw new RefusedException(Reason.WRONG_METHOD,
						"A document is deleted here with DELETE; it is sent with POST to " + this.resource.path());
			}
		}
		catch (RefusedException ex) {
			if (!response.isCommitted()) {
				response.resetBuffer();
				response.setHeader(PREFERENCE_APPLIED, null);
				StatusCodes.refuse(response, ex, methods(request));
			}
		}
		finally {
			this.places.release(hasPlace ? 1 : 0);
		}
	}

	/** The methods that there are, for {@code Allow}. */
	private String methods(HttpServletRequest request) {
		String deletion = this.resource.hasVersions() ? "DELETE,OPTIONS" : "OPTIONS";
		return (request.getPathInfo() == null) ? "POST," + deletion : deletion;
	}

	/** Deletes all versions of a document that are not newer than the deletion. */
	private void delete(HttpServletRequest request, HttpServletResponse response) throws IOException {
		DeletionRequest deletion = DeletionRequest.of(request, this.resource);
		rateLimit(request, response).takeDocument();
		this.intake.delete(this.resource, deletion.id(), deletion.version(), origin(request, Map.of()));
		response.setStatus(HttpServletResponse.SC_ACCEPTED);
		response.setContentType(MediaType.APPLICATION_JSON_VALUE);
		response.getOutputStream()
			.println("{\"%s\":%s,\"version\":%d}".formatted(this.resource.idField(), asAscii(deletion.id()),
					deletion.version()));
	}

	private static Origin origin(HttpServletRequest request, Map<String, String> cloudEvent) {
		return new Origin(Objects.toString(request.getAttribute(Tracing.HEADER), null), cloudEvent);
	}

	/** A text as JSON of ASCII alone. */
	private static String asAscii(String text) {
		return JSON.writeValueAsString(text);
	}

	/** Has this name because Tomcat takes the methods for {@code Allow} from it. */
	@Override
	protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
		RequestHeaders headers = RequestHeaders.of(request, this.resource);
		String key = headers.idempotencyKey();
		Origin origin = origin(request, headers.cloudEvent());
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
			acceptOne(request, response, body, this.ids.forRequest(this.resource, key), origin, rateLimit);
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

	private void acceptOne(HttpServletRequest request, HttpServletResponse response, RequestBody body,
			@Nullable String given, Origin origin, RateLimit rateLimit) throws IOException {
		long length = request.getContentLengthLong();
		long largest = this.resource.maxSize();
		rateLimit.takeDocument();
		rateLimit.takeBytes((length >= 0 && length < largest) ? length : largest);
		if (length > largest) {
			throw RefusedException.tooLarge(this.resource);
		}
		this.intake.accept(this.resource, given, body.readDocument(), origin, (id, document) -> {
			response.setStatus(HttpServletResponse.SC_ACCEPTED);
			response.setContentType(MediaType.APPLICATION_JSON_VALUE);
			String address = address(id);
			if (address.length() <= LOCATION_CHARACTERS) {
				response.setHeader("Location", address);
			}
			writeWithId(response.getOutputStream(), id, document);
		});
	}

	/** Where the stored document is found. */
	private String address(String id) {
		String encoded = PLAIN.matcher(id).matches() ? id : UriUtils.encode(id, StandardCharsets.UTF_8);
		return Resource.hasPath(id) ? this.location + encoded
				: this.location.substring(0, this.location.length() - 1) + "?id=" + encoded;
	}

	/**
	 * Writes the document as it was sent, with its id as the first field unless it is
	 * there.
	 */
	private void writeWithId(ServletOutputStream out, String id, byte[] document) throws IOException {
		if (this.resource.showsOwnId()) {
			out.write(document);
			out.write('\n');
			return;
		}
		int brace = 0;
		while (document[brace] != '{') {
			brace++;
		}
		int next = brace + 1;
		while (Character.isWhitespace(document[next])) {
			next++;
		}
		String text = this.resource.hasOwnIds() ? asAscii(id) : "\"" + id + "\"";
		out.print("{\"" + this.resource.idField() + "\":" + text + ((document[next] == '}') ? "" : ","));
		out.write(document, brace + 1, document.length - brace - 1);
		out.write('\n');
	}

}
