package jobs.kafkatomongo;

import java.util.List;
import java.util.UUID;

import com.mongodb.ConnectionString;
import jobs.testkit.Backends;

import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

/**
 * The Kafka and the MongoDB of this test run, with a database of its own for each test
 * class.
 */
@TestConfiguration(proxyBeanMethods = false)
public class TestBackends {

	@Bean
	KafkaConnectionDetails kafkaOfThisTestRun() {
		return () -> List.of(Backends.get().kafka().split(","));
	}

	@Bean
	MongoConnectionDetails mongoOfThisTestRun() {
		ConnectionString address = new ConnectionString(Backends.get().mongo("test-" + UUID.randomUUID()));
		return () -> address;
	}

}
