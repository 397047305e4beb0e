package jobs.kafkatomongo.mongo;

import com.mongodb.ConnectionString;
import jobs.chassis.operations.SettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An address that leads to no database ends the start with one sentence. */
class MongoConfigurationTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			mongodb://ann:secret@mongo.example | names no database
			mongodb://ann:secret@mongo.example/?retryWrites=true | names no database
			mongodb://ann:sec@ret@mongo.example/db | is no address
			mongo.example/db | is no address
			""")
	void saysWhatIsWrong(String address, String expected) {
		assertThatExceptionOfType(SettingException.class)
			.isThrownBy(() -> new MongoConfiguration().boundedWaits(details(address), new MockEnvironment()))
			.withMessageContaining(expected)
			.satisfies((failure) -> assertThat(failure.getMessage()).contains("spring.mongodb.uri")
				.doesNotContain("secret")
				.doesNotContain("sec@ret"));
	}

	@Test
	void takesTheDatabaseFromASettingOfItsOwn() {
		MockEnvironment settings = new MockEnvironment().withProperty("spring.mongodb.database", "db");

		assertThat(new MongoConfiguration().boundedWaits(details("mongodb://mongo.example"), settings)).isNotNull();
	}

	private static MongoConnectionDetails details(String address) {
		return () -> new ConnectionString(address);
	}

}
