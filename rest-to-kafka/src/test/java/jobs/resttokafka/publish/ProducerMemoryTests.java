package jobs.resttokafka.publish;

import java.util.Map;

import jobs.contract.resources.ResourceSettings;
import jobs.contract.resources.Resources;
import jobs.resttokafka.publish.Publisher.PublishConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.kafka.core.DefaultKafkaProducerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** That the producer has room for documents of the size that a resource takes. */
class ProducerMemoryTests {

	@ParameterizedTest
	@CsvSource({ "256KB, 1048576, 16777216", "16MB, 16842752, 33685504" })
	void hasRoomForTwoDocuments(String maxSize, int request, long memory) {
		Resources resources = Resources.builtIn(new ResourceSettings((key) -> null, (key) -> null, maxSize));
		DefaultKafkaProducerFactory<String, byte[]> factory = new DefaultKafkaProducerFactory<>(
				Map.of("buffer.memory", "16777216"));

		new PublishConfiguration().recordsOfTheSizeOfADocument(resources).customize(factory);

		assertThat(factory.getConfigurationProperties()).containsEntry("max.request.size", request)
			.containsEntry("buffer.memory", memory);
	}

}
