package jobs.kafkatomongo.http;

import java.util.Collection;

import jakarta.servlet.http.HttpServletRequest;

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

	/** Refuses a parameter of another name than those that are known. */
	public static void requireKnown(HttpServletRequest request, Collection<String> known) {
		for (String name : request.getParameterMap().keySet()) {
			if (!known.contains(name)) {
				throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "'%s' is none of %s".formatted(name, known));
			}
		}
	}

	/** Refuses any parameter, without a look into the body for those of a form. */
	public static void requireNone(HttpServletRequest request) {
		if (StringUtils.hasText(request.getQueryString())) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"'%s' is not known: there are no parameters here".formatted(request.getQueryString()));
		}
	}

}
