package jobs.kafkatomongo.mongo;

import java.util.Collections;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import jobs.chassis.operations.SettingException;
import jobs.contract.resources.Resources;
import jobs.kafkatomongo.Records;
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
			.isThrownBy(
					() -> new MongoConfiguration().boundedWaits(details(address), new MockEnvironment(), resources(1)))
			.withMessageContaining(expected)
			.satisfies((failure) -> assertThat(failure.getMessage()).contains("spring.mongodb.uri")
				.doesNotContain("secret")
				.doesNotContain("sec@ret"));
	}

	@Test
	void takesTheDatabaseFromASettingOfItsOwn() {
		MockEnvironment settings = new MockEnvironment().withProperty("spring.mongodb.database", "db");

		assertThat(new MongoConfiguration().boundedWaits(details("mongodb://mongo.example"), settings, resources(1)))
			.isNotNull();
	}

	@ParameterizedTest
	@CsvSource({ "1, 150", "7, 186", "16, 240" })
	void hasConnectionsForEachResource(int count, int connections) {
		MongoClientSettings.Builder settings = MongoClientSettings.builder();

		new MongoConfiguration()
			.boundedWaits(details("mongodb://mongo.example/db"), new MockEnvironment(), resources(count))
			.customize(settings);

		assertThat(settings.build().getConnectionPoolSettings().getMaxSize()).isEqualTo(connections);
	}

	private static Resources resources(int count) {
		return new Resources(Collections.nCopies(count, Records.jobs("jobs")), count > 1);
	}

	private static MongoConnectionDetails details(String address) {
		return () -> new ConnectionString(address);
	}

}
