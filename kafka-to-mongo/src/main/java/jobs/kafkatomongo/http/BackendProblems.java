package jobs.kafkatomongo.http;

import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSocketReadTimeoutException;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.kafka.KafkaException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/**
 * Turns what controllers throw into problems (RFC 9457): a backend that does not answer,
 * or a query that can't be read.
 */
@RestControllerAdvice
class BackendProblems {

	private static final Logger logger = LoggerFactory.getLogger(BackendProblems.class);

	@ExceptionHandler(MongoException.class)
	ResponseEntity<ProblemDetail> unavailable(MongoException failure) {
		// both come wrapped, as the time-out of the whole operation
		Throwable cause = (failure instanceof MongoOperationTimeoutException) ? failure.getCause() : failure;
		if (cause instanceof MongoExecutionTimeoutException || cause instanceof MongoSocketReadTimeoutException) {
			return unavailable("MongoDB took too long for this query; it may need another index", failure);
		}
		if (cause instanceof MongoException refused && refused.getCode() == MongoErrorCodes.UNAUTHORISED) {
			return unavailable("MongoDB does not let this service do it: the role of its login lacks a right", failure);
		}
		return unavailable("MongoDB does not answer", failure);
	}

	@ExceptionHandler(KafkaException.class)
	ResponseEntity<ProblemDetail> unavailable(KafkaException failure) {
		return unavailable("Kafka does not answer", failure);
	}

	private static ResponseEntity<ProblemDetail> unavailable(String why, RuntimeException failure) {
		logger.atWarn().addKeyValue("cause", failure.toString()).log("A request was refused: " + why);
		return ResponseEntity.status(HttpStatus.SERVICE_UNAVAILABLE)
			.header("Retry-After", "1")
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.body(ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, why));
	}

}
