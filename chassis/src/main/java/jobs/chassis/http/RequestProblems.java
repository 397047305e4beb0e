package jobs.chassis.http;

import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers requests whose mistake Spring takes for a fault of the service, which would be
 * answered 500 and logged with a trace each time.
 */
@RestControllerAdvice
class RequestProblems {

	private static final String HEALTH = "/actuator/health/";

	@ExceptionHandler(InvalidParameterException.class)
	ProblemDetail malformedQuery() {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST,
				"The query is malformed; special characters are written with %");
	}

	/** Boot fails where a path goes on below a part of the health that there is not. */
	@ExceptionHandler(IllegalStateException.class)
	ProblemDetail unknownPartOfTheHealth(IllegalStateException failure, HttpServletRequest request) {
		boolean isOfBoot = Stream.of(failure.getStackTrace())
			.limit(2)
			.anyMatch((call) -> call.getClassName().startsWith("org.springframework.boot.health.actuate"));
		if (!isOfBoot || !request.getRequestURI().startsWith(HEALTH)) {
			throw failure;
		}
		return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, "The health has no such part");
	}

}
