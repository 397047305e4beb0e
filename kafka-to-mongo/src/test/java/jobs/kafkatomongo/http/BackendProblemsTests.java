package jobs.kafkatomongo.http;

import java.util.Objects;

import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ServerAddress;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackendProblemsTests {

	/** The driver wraps what ends an operation that has a time-out. */
	@Test
	void tellsAQueryThatTookTooLongFromADatabaseThatIsAway() {
		assertThat(detail(new MongoOperationTimeoutException("", new MongoExecutionTimeoutException(50, ""))))
			.contains("index");
		assertThat(detail(new MongoOperationTimeoutException("",
				new MongoSocketReadTimeoutException("", new ServerAddress(), new IllegalStateException()))))
			.contains("index");
		assertThat(detail(new MongoOperationTimeoutException("", new MongoTimeoutException(""))))
			.contains("not answer");
		assertThat(detail(new MongoTimeoutException(""))).contains("not answer");
	}

	private static String detail(MongoException failure) {
		return Objects
			.requireNonNull(Objects.requireNonNull(new BackendProblems().unavailable(failure).getBody()).getDetail());
	}

}
