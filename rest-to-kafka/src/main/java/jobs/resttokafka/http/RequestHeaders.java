package jobs.resttokafka.http;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletRequest;
import jobs.contract.resources.Resource;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import org.jspecify.annotations.Nullable;

import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * The headers of a request that decide how documents are read from it.
 *
 * @param type {@link MediaType#APPLICATION_JSON} for one document, {@link #NDJSON} for
 * many; the answer has the same type
 * @param idempotencyKey what a repeated request has again: the header of this name or,
 * without it, source and id of a CloudEvent where documents bring no id of their own
 * @param cloudEvent the attributes of a CloudEvent; none where the request is no event
 */
record RequestHeaders(MediaType type, @Nullable String idempotencyKey, Map<String, String> cloudEvent) {

	/** Characters of an Idempotency-Key; beyond: 400. */
	private static final int IDEMPOTENCY_KEY = 255;

	static final MediaType NDJSON = MediaType.parseMediaType("application/x-ndjson");

	/** Reads the headers; throws RefusedException for a request that is not supported. */
	static RequestHeaders of(HttpServletRequest request, Resource resource) {
		if (!request.getMethod().equals("POST")) {
			throw new RefusedException(Reason.WRONG_METHOD, "%s are sent here with POST".formatted(resource.nouns()));
		}
		MediaType type = type(request, resource);
		requireAcceptable(request, type);
		Map<String, String> cloudEvent = CloudEventHeaders.read(request);
		if (!cloudEvent.isEmpty() && type.equals(NDJSON)) {
			throw new RefusedException(Reason.MALFORMED,
					"The headers of a CloudEvent are those of one document, and not of many lines");
		}
		String key = idempotencyKey(request);
		if (key == null && !resource.hasOwnIds()) {
			key = CloudEventHeaders.key(cloudEvent);
		}
		return new RequestHeaders(type, key, cloudEvent);
	}

	private static MediaType type(HttpServletRequest request, Resource resource) {
		List<String> encodings = Collections.list(request.getHeaders("Content-Encoding"));
		if (!encodings.stream().allMatch("identity"::equalsIgnoreCase)) {
			throw new RefusedException(Reason.ENCODED, resource.nouns() + " are sent without a Content-Encoding");
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
		if (types.stream().anyMatch(CloudEventHeaders::isStructured)) {
			throw CloudEventHeaders.structured();
		}
		throw new RefusedException(Reason.WRONG_TYPE,
				"%s are sent as application/json or application/x-ndjson, in UTF-8".formatted(resource.nouns()));
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
			boolean isAcceptable = accept.isEmpty() || MediaType.parseMediaTypes(accept)
				.stream()
				.filter((range) -> range.includes(type))
				.reduce((one, other) -> other.removeQualityValue().isMoreSpecific(one.removeQualityValue()) ? other
						: one)
				.filter((range) -> range.getQualityValue() > 0)
				.isPresent();
			if (!isAcceptable) {
				throw new RefusedException(Reason.NOT_ACCEPTABLE, "The answer comes as " + type);
			}
		}
		catch (InvalidMediaTypeException ex) {
			throw new RefusedException(Reason.NOT_ACCEPTABLE, "The Accept header is malformed");
		}
	}

	private static @Nullable String idempotencyKey(HttpServletRequest request) {
		List<String> keys = Collections.list(request.getHeaders("Idempotency-Key"));
		if (keys.isEmpty()) {
			return null;
		}
		String key = keys.getFirst();
		if (keys.size() > 1 || key.isBlank() || key.length() > IDEMPOTENCY_KEY
				|| !key.chars().allMatch((character) -> character >= ' ' && character <= '~')) {
			throw new RefusedException(Reason.MALFORMED,
					"The Idempotency-Key must be one header of 1 to %d printable ASCII characters"
						.formatted(IDEMPOTENCY_KEY));
		}
		return key;
	}

	/** Reads the headers {@code Prefer} (RFC 7240). */
	static final class Prefer {

		/**
		 * The value of {@code Preference-Applied} where {@link #isMinimal} was granted.
		 */
		static final String MINIMAL = "return=minimal";

		private static final String QUOTED = "\"(?:[^\"\\\\]|\\\\.)*+\"";

		/** A preference with its value and parameters, which may have quoted commas. */
		private static final Pattern PREFERENCE = Pattern
			.compile("\\s*+([^=;,\"\\s]++)\\s*+(?:=\\s*+(%1$s|[^;,\"\\s]*+))?+(?:%1$s|[^,\"])*+".formatted(QUOTED));

		private Prefer() {
		}

		/**
		 * Whether the client wants a short answer. The first preference of a name counts,
		 * and all others are ignored.
		 */
		static boolean isMinimal(HttpServletRequest request) {
			String preferences = String.join(",", Collections.list(request.getHeaders("Prefer")));
			return PREFERENCE.matcher(preferences)
				.results()
				.filter((preference) -> preference.group(1).equalsIgnoreCase("return"))
				.findFirst()
				.filter(Prefer::asksForMinimal)
				.isPresent();
		}

		private static boolean asksForMinimal(MatchResult preference) {
			String value = preference.group(2);
			return value != null && value.replace("\"", "").equalsIgnoreCase("minimal");
		}

	}

}
