package jobs.resttokafka.http;

import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletRequest;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import org.jspecify.annotations.Nullable;

import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * The headers of a request that decide how jobs are read from it.
 *
 * @param type {@link MediaType#APPLICATION_JSON} for one job, {@link #NDJSON} for many;
 * the answer has the same type
 */
record RequestHeaders(MediaType type, @Nullable String idempotencyKey) {

	/** Characters of an Idempotency-Key; beyond: 400. */
	private static final int IDEMPOTENCY_KEY = 255;

	static final MediaType NDJSON = MediaType.parseMediaType("application/x-ndjson");

	/** Reads the headers; throws RefusedException for a request that is not supported. */
	static RequestHeaders of(HttpServletRequest request) {
		if (!request.getMethod().equals("POST")) {
			throw new RefusedException(Reason.WRONG_METHOD, "Jobs are sent here with POST");
		}
		MediaType type = type(request);
		requireAcceptable(request, type);
		return new RequestHeaders(type, idempotencyKey(request));
	}

	private static MediaType type(HttpServletRequest request) {
		List<String> encodings = Collections.list(request.getHeaders("Content-Encoding"));
		if (!encodings.stream().allMatch("identity"::equalsIgnoreCase)) {
			throw new RefusedException(Reason.ENCODED, "Jobs are sent without a Content-Encoding");
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
		throw new RefusedException(Reason.WRONG_TYPE,
				"Jobs are sent as application/json or application/x-ndjson, in UTF-8");
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
