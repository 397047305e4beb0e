package jobs.kafkatomongo;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Consumes job postings from Kafka and saves them to MongoDB. */
@SpringBootApplication
public class KafkaToMongoApplication {

	static void main(String[] args) {
		SpringApplication.run(KafkaToMongoApplication.class, args);
	}

}
