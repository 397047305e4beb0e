package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The resources that services carry, all with one contract.
 *
 * @param topic of the jobs; those of other resources follow from it
 * @param names of the resources
 */
record Resources(String topic, List<String> names) {

	static final String JOBS = "jobs";

	private static final String CONTRACT = "real-job.schema.json";

	String topicOf(String name) {
		return name.equals(JOBS) ? this.topic : this.topic + "-" + name;
	}

	List<String> topics() {
		return this.names.stream().map(this::topicOf).toList();
	}

	/** The contract that {@code ContractBenchmark} has, too. */
	static Path contract(Path root) {
		return root.resolve("contract/src/test/resources").resolve(CONTRACT);
	}

	/**
	 * Writes the file that names them, and their contract.
	 * @param root the folder of the project
	 * @param folder where to
	 * @return what has services carry them
	 */
	Map<String, String> write(Path root, Path folder) throws IOException {
		Files.createDirectories(folder);
		Files.copy(contract(root), folder.resolve(CONTRACT), StandardCopyOption.REPLACE_EXISTING);
		return Map.of("JOBS_RESOURCES", Files.writeString(folder.resolve(this.topic + ".yaml"), yaml()).toString());
	}

	String yaml() {
		return this.names.stream().map((name) -> """
				  %s:
				    contract: %s
				    topic: %s
				    group: %3$s
				""".formatted(name, CONTRACT, topicOf(name))).collect(Collectors.joining("", "resources:\n", ""));
	}

}
