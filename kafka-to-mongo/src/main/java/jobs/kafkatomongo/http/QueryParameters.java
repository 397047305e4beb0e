package jobs.kafkatomongo.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.util.StringUtils;
import org.springframework.web.server.ResponseStatusException;

/**
 * Refuses parameters that nobody reads: a misspelt filter would select more than was
 * meant, and what should only count would act. The methods throw ResponseStatusException
 * (400).
 */
public final class QueryParameters {

	private QueryParameters() {
	}

	/**
	 * Refuses a parameter of another name than those that are known, and one that comes
	 * twice: Spring would join both values.
	 */
	public static void requireKnown(HttpServletRequest request, Collection<String> known) {
		request.getParameterMap().forEach((name, values) -> {
			if (!known.contains(name)) {
				throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
						known.isEmpty() ? "'%s' is not known: there are no parameters here".formatted(name)
								: "'%s' is none of %s".formatted(name, known));
			}
			if (values.length > 1) {
				throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'%s' may be given once".formatted(name));
			}
		});
	}

	/**
	 * Returns the one parameter that there may be, or {@code null} without it. It does
	 * not look into the body for those of a form.
	 */
	public static @Nullable String requireNoneBut(HttpServletRequest request, String name) {
		String query = request.getQueryString();
		if (!StringUtils.hasText(query)) {
			return null;
		}
		if (!query.startsWith(name + "=") || query.indexOf('&') >= 0) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"'%s' is not known: there is no parameter here but '%s'".formatted(query, name));
		}
		try {
			return URLDecoder.decode(query.substring(name.length() + 1), StandardCharsets.UTF_8);
		}
		catch (IllegalArgumentException ex) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'%s' is malformed".formatted(query), ex);
		}
	}

}
