package jobs.resttokafka.http;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import jakarta.servlet.http.HttpServletRequest;
import jobs.contract.HeaderNames;
import jobs.contract.Utf8;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import org.jspecify.annotations.Nullable;

/**
 * Reads the attributes of a CloudEvent in binary mode, whose data is the body
 * (CloudEvents 1.0, HTTP binding).
 */
final class CloudEventHeaders {

	private static final String PREFIX = "ce-";

	private static final String VERSION = "1.0";

	private static final List<String> REQUIRED = List.of("id", "source", "type");

	private CloudEventHeaders() {
	}

	/**
	 * The attributes by their names, or none where the request is no event: each has a
	 * {@code ce-specversion}. Throws RefusedException (400) for an event that is
	 * malformed.
	 */
	static Map<String, String> read(HttpServletRequest request) {
		String version = request.getHeader(PREFIX + "specversion");
		if (version == null) {
			return Map.of();
		}
		if (!version.equals(VERSION)) {
			throw malformed("ce-specversion must be " + VERSION);
		}
		Map<String, String> attributes = new TreeMap<>();
		for (String header : Collections.list(request.getHeaderNames())) {
			String name = header.toLowerCase(Locale.ROOT);
			if (name.startsWith(PREFIX)) {
				attributes.put(requireName(name), value(name, Collections.list(request.getHeaders(header))));
			}
		}
		for (String name : REQUIRED) {
			if (attributes.getOrDefault(name, "").isEmpty()) {
				throw malformed("a CloudEvent has ce-id, ce-source and ce-type");
			}
		}
		requireReference(attributes.get("source"));
		return attributes;
	}

	/**
	 * What makes an event the same one as another, which is source and id; {@code null}
	 * where the request is no event. It begins with a line feed, as no Idempotency-Key
	 * does.
	 */
	static @Nullable String key(Map<String, String> attributes) {
		return attributes.isEmpty() ? null : "\n" + attributes.get("source") + "\n" + attributes.get("id");
	}

	private static String requireName(String header) {
		String name = header.substring(PREFIX.length());
		// the body's type is that of the data already
		if (!HeaderNames.isAttribute(name) || name.equals("datacontenttype") || name.equals("data")) {
			throw malformed(
					"'%s' is no attribute of a CloudEvent; the type of its data is the Content-Type".formatted(header));
		}
		return name;
	}

	private static String value(String header, List<String> values) {
		String decoded = (values.size() == 1) ? percentDecoded(unquoted(values.getFirst())) : null;
		if (decoded == null || decoded.codePoints().anyMatch(Character::isISOControl)) {
			throw malformed(
					"%s must be one header, percent-encoded UTF-8 without control characters".formatted(header));
		}
		return decoded;
	}

	/** A value may be quoted, with backslashes before quotes. */
	private static String unquoted(String value) {
		boolean isQuoted = value.length() > 1 && value.startsWith("\"") && value.endsWith("\"");
		return isQuoted ? value.substring(1, value.length() - 1).replaceAll("\\\\(.)", "$1") : value;
	}

	/** Returns {@code null} where the result is no UTF-8. */
	private static @Nullable String percentDecoded(String value) {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream(value.length());
		for (int i = 0; i < value.length(); i++) {
			char character = value.charAt(i);
			int high = (character == '%' && i + 2 < value.length()) ? Character.digit(value.charAt(i + 1), 16) : -1;
			int low = (high >= 0) ? Character.digit(value.charAt(i + 2), 16) : -1;
			if (low >= 0) {
				bytes.write(high << 4 | low);
				i += 2;
			}
			else if (character > '~') {
				return null;
			}
			else {
				bytes.write(character);
			}
		}
		return Utf8.decode(bytes.toByteArray());
	}

	private static void requireReference(@Nullable String source) {
		try {
			new URI(String.valueOf(source));
		}
		catch (URISyntaxException ex) {
			throw malformed("ce-source must be a URI-reference");
		}
	}

	private static RefusedException malformed(String why) {
		return new RefusedException(Reason.MALFORMED, "This CloudEvent is malformed: " + why);
	}

	/** Whether a media type is one of an event with its attributes in the body. */
	static boolean isStructured(String type) {
		return type.toLowerCase(Locale.ROOT).startsWith("application/cloudevents");
	}

	/** What to do with such an event. */
	static RefusedException structured() {
		return new RefusedException(Reason.WRONG_TYPE,
				"CloudEvents are sent in binary mode: attributes as headers ce-id, ce-source, ce-type and ce-specversion,"
						+ " and the data as the body with its Content-Type");
	}

}
