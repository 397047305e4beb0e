package jobs.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** With which flags the services are measured. */
class ContestantsTests {

	@Test
	void haveTheFlagsOfTheServicesImageAndOfNoOther() throws Exception {
		assertThat(Contestants.serviceFlags(Files.readString(Path.of("..", "Dockerfile")),
				Files.readString(Path.of("..", "docker-compose.yml"))))
			.contains("-Xmx129761k", "-XX:+UseSerialGC", "-XX:SurvivorRatio=3")
			.filteredOn((flag) -> flag.startsWith("-Xmx"))
			.hasSize(1);
	}

	@Test
	void haveTheShareOfWhatComposeGives() {
		assertThat(Contestants.serviceFlags("""
				FROM runtime
				ENTRYPOINT ["java", "-XX:MaxRAMPercentage=25", \\
				  "-Dsome=thing", "-XX:AOTCache=app.aot", "-jar", "app.jar"]
				ENTRYPOINT ["java", "-XX:MaxRAMPercentage=50", "-jar", "other.jar"]
				""", """
				services:
				  kafka:
				    mem_limit: 1024m
				  rest-to-kafka:
				    mem_limit: 400m
				""")).containsExactly("-Xmx102400k", "-Dsome=thing");
	}

}
