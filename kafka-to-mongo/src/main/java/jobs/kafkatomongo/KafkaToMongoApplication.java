package jobs.kafkatomongo;

import jobs.kafkatomongo.trial.TrialCommand;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Consumes job postings from Kafka and saves them to MongoDB. */
@SpringBootApplication(scanBasePackages = { "jobs.kafkatomongo.console", "jobs.kafkatomongo.http",
		"jobs.kafkatomongo.mongo", "jobs.kafkatomongo.pipeline" })
public class KafkaToMongoApplication {

	static void main(String[] args) {
		if (TrialCommand.isMeant(args)) {
			TrialCommand.main(args);
			return;
		}
		SpringApplication.run(KafkaToMongoApplication.class, args);
	}

}
