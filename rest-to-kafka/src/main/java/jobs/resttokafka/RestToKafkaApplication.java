package jobs.resttokafka;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Accepts job postings over HTTP and publishes them to Kafka. */
@SpringBootApplication
public class RestToKafkaApplication {

	static void main(String[] args) {
		SpringApplication.run(RestToKafkaApplication.class, args);
	}

}
