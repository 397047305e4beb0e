package jobs.endtoend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What stands in both services, since they share no module, and is tested in one.
 */
class CopiesTests {

	@ParameterizedTest
	@ValueSource(strings = { "ApiDocuments", "BoundedHttp", "JobSchema", "KafkaTopics", "RequestTraces", "Tracing" })
	void staysTheSameInBothServices(String name) throws IOException {
		assertThat(source("kafka-to-mongo", "kafkatomongo", name))
			.isEqualTo(source("rest-to-kafka", "resttokafka", name));
	}

	private static String source(String service, String folder, String name) throws IOException {
		return Files.readString(Path.of("..", service, "src/main/java/jobs", folder, name + ".java"))
			.replaceFirst("package .*;", "");
	}

}
