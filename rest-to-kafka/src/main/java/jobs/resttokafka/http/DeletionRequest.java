package jobs.resttokafka.http;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.servlet.http.HttpServletRequest;
import jobs.contract.resources.KeyReader;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Versions;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;

/**
 * Asks that a document is deleted: {@code DELETE} to its path, or to that of the resource
 * with a parameter {@code id} where no path can have the id.
 *
 * @param id the id of the document
 * @param version the version that the deletion has: the parameter {@code version}, an
 * integer or a date-time, or one more than the version in {@code If-Match}
 */
record DeletionRequest(String id, long version) {

	private static final Set<String> PARAMETERS = Set.of("id", "version");

	/** An integer of 64 bits as {@link KeyReader} makes an id of it. */
	private static final Pattern INTEGER = Pattern.compile("0|-?[1-9]\\d{0,18}");

	/** One strong entity tag (RFC 9110) with a version, as GET has it. */
	private static final Pattern TAG = Pattern.compile("\\s*\"(-?\\d{1,19})\"\\s*");

	/** Reads a request; throws RefusedException where it is none. */
	static DeletionRequest of(HttpServletRequest request, Resource resource) {
		if (request.getRequestURI().indexOf(';') >= 0) {
			throw malformed("A ; in an id is written %3B");
		}
		parameters(request).forEach((name, values) -> {
			if (!PARAMETERS.contains(name) || values.length != 1) {
				throw malformed("A deletion has the parameters 'id' and 'version', each once at most");
			}
		});
		return new DeletionRequest(id(request, resource), version(request));
	}

	private static Map<String, String[]> parameters(HttpServletRequest request) {
		try {
			return request.getParameterMap();
		}
		catch (IllegalStateException ex) {
			throw malformed("The query is malformed: each % needs two hexadecimal digits, and all together are UTF-8");
		}
	}

	private static String id(HttpServletRequest request, Resource resource) {
		String path = request.getPathInfo();
		String parameter = request.getParameter("id");
		boolean isInPath = path != null && path.length() > 1;
		if (isInPath == (parameter != null)) {
			throw malformed("A deletion names one id, as %1$s/{id} or as %1$s?id={id}".formatted(resource.path()));
		}
		String id = isInPath ? path.substring(1) : parameter;
		if (id == null || id.isEmpty() || id.length() > KeyReader.ID_CHARACTERS) {
			throw malformed("An id has 1 to %d characters".formatted(KeyReader.ID_CHARACTERS));
		}
		if (resource.hasIntegerIds() && !INTEGER.matcher(id).matches()) {
			throw malformed("An id of %s is an integer, in its digits".formatted(resource.path()));
		}
		return id;
	}

	private static long version(HttpServletRequest request) {
		String parameter = request.getParameter("version");
		List<String> tags = Collections.list(request.getHeaders("If-Match"));
		if (parameter != null && !tags.isEmpty()) {
			throw malformed("A deletion has a parameter 'version' or a header If-Match, and not both");
		}
		if (parameter != null) {
			try {
				return Versions.parse(parameter);
			}
			catch (IllegalArgumentException ex) {
				throw malformed("'version' is malformed. " + ex.getMessage());
			}
		}
		if (tags.isEmpty()) {
			throw new RefusedException(Reason.NO_VERSION,
					"A deletion says which version it has: with a parameter 'version', or with If-Match and the ETag that GET"
							+ " answers, which makes it the next version");
		}
		return next(tags);
	}

	private static long next(List<String> tags) {
		Matcher tag = TAG.matcher((tags.size() == 1) ? tags.getFirst() : "");
		try {
			if (tag.matches()) {
				return Math.addExact(Long.parseLong(tag.group(1)), 1);
			}
		}
		catch (NumberFormatException | ArithmeticException ex) {
			// no version comes after it
		}
		throw malformed("If-Match must be one ETag of a document, such as \"7\"");
	}

	private static RefusedException malformed(String detail) {
		return new RefusedException(Reason.MALFORMED, detail);
	}

}
