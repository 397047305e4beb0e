package jobs.resttokafka;

import java.io.IOException;
import java.util.List;

import jakarta.servlet.http.HttpServletResponse;
import org.jspecify.annotations.Nullable;

/**
 * A request or a line of an upload that is not accepted, with the answer it gets.
 */
class RefusedException extends RuntimeException {

	private final transient Problem problem;

	private final @Nullable String header;

	private final @Nullable String headerValue;

	RefusedException(int status, String detail) {
		this(Problem.of(status, detail), null, null);
	}

	RefusedException(int status, String detail, String header, String headerValue) {
		this(Problem.of(status, detail), header, headerValue);
	}

	private RefusedException(Problem problem, @Nullable String header, @Nullable String headerValue) {
		super(problem.detail(), null, false, false);
		this.problem = problem;
		this.header = header;
		this.headerValue = headerValue;
	}

	static RefusedException broken(String detail, List<Problem.Violation> errors) {
		return new RefusedException(new Problem("Bad Request", 400, detail, errors), null, null);
	}

	static RefusedException unavailable(String detail) {
		return new RefusedException(503, detail, "Retry-After", "1");
	}

	Problem problem() {
		return this.problem;
	}

	/**
	 * Answers with the problem, and the header that goes with it.
	 */
	void writeTo(HttpServletResponse response) throws IOException {
		if (this.header != null) {
			response.setHeader(this.header, this.headerValue);
		}
		this.problem.writeTo(response);
	}

}
