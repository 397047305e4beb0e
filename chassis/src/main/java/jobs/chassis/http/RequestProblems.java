package jobs.chassis.http;

import java.util.Comparator;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

import jakarta.servlet.http.HttpServletRequest;
import org.apache.tomcat.util.http.InvalidParameterException;

import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Answers requests whose mistake Spring takes for a fault of the service, which would be
 * answered 500 and logged with a trace each time, or of which it does not tell all.
 */
@RestControllerAdvice
@Order(RequestProblems.BEFORE_THOSE_OF_BOOT)
class RequestProblems {

	static final int BEFORE_THOSE_OF_BOOT = -1;

	private static final String HEALTH = "/actuator/health/";

	/** Tells all methods that there are, as the answer to OPTIONS does. */
	@ExceptionHandler(HttpRequestMethodNotSupportedException.class)
	ResponseEntity<ProblemDetail> wrongMethod(HttpRequestMethodNotSupportedException failure) {
		Set<HttpMethod> methods = new TreeSet<>(Comparator.comparing(HttpMethod::name));
		methods.addAll(Objects.requireNonNullElse(failure.getSupportedHttpMethods(), Set.of()));
		methods.add(HttpMethod.OPTIONS);
		if (methods.contains(HttpMethod.GET)) {
			methods.add(HttpMethod.HEAD);
		}
		HttpHeaders headers = new HttpHeaders();
		headers.setAllow(methods);
		return ResponseEntity.status(HttpStatus.METHOD_NOT_ALLOWED).headers(headers).body(failure.getBody());
	}

	@ExceptionHandler(InvalidParameterException.class)
	ProblemDetail malformedQuery(InvalidParameterException failure) {
		boolean isForm = failure.getErrorCode() == HttpStatus.CONTENT_TOO_LARGE.value();
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST,
				isForm ? "A form is not read here: what to select stands in the query"
						: "The query is malformed; special characters are written with %");
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
