package jobs.resttokafka.http;

import java.io.IOException;

import jakarta.servlet.http.HttpServletResponse;
import jobs.chassis.http.Problem;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;

import org.springframework.http.HttpStatus;

/**
 * Gives each reason for a refusal a status, and some a header; {@link Problem} adds
 * {@code Retry-After} to every 503.
 */
final class StatusCodes {

	private static final String TYPES = "application/json, application/x-ndjson";

	private StatusCodes() {
	}

	static int of(Reason reason) {
		return switch (reason) {
			case MALFORMED, BROKEN_OFF -> HttpServletResponse.SC_BAD_REQUEST;
			case OTHER_KEY -> HttpStatus.UNPROCESSABLE_CONTENT.value();
			case NO_VERSION -> HttpStatus.PRECONDITION_REQUIRED.value();
			case WRONG_METHOD -> HttpServletResponse.SC_METHOD_NOT_ALLOWED;
			case NOT_ACCEPTABLE -> HttpServletResponse.SC_NOT_ACCEPTABLE;
			case TOO_SLOW -> HttpServletResponse.SC_REQUEST_TIMEOUT;
			case TOO_LARGE, ENDLESS -> HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE;
			case WRONG_TYPE, ENCODED -> HttpServletResponse.SC_UNSUPPORTED_MEDIA_TYPE;
			case NO_LONGER_ALLOWED -> HttpServletResponse.SC_UNAUTHORIZED;
			case TOO_MANY -> HttpStatus.TOO_MANY_REQUESTS.value();
			case NO_ROOM, NOT_ACKNOWLEDGED, STOPPED -> HttpServletResponse.SC_SERVICE_UNAVAILABLE;
		};
	}

	/** Answers a request that is refused as a whole, of a path with some methods. */
	static void refuse(HttpServletResponse response, RefusedException refusal, String methods) throws IOException {
		switch (refusal.reason()) {
			case WRONG_METHOD -> response.setHeader("Allow", methods);
			case TOO_SLOW, BROKEN_OFF -> response.setHeader("Connection", "close");
			case WRONG_TYPE -> response.setHeader("Accept", TYPES);
			case ENCODED -> response.setHeader("Accept-Encoding", "identity");
			default -> {
			}
		}
		Problem.of(of(refusal.reason()), refusal.detail(), refusal.violations()).writeTo(response);
	}

}
