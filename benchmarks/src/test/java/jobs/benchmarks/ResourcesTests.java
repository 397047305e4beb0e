package jobs.benchmarks;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** What the services are told to carry. */
class ResourcesTests {

	private final Resources resources = new Resources("jobs-three", List.of("jobs", "orders"));

	@TempDir
	private Path folder;

	@Test
	void namesATopicAndAGroupOfEach() {
		assertThat(this.resources.yaml()).isEqualTo("""
				resources:
				  jobs:
				    contract: real-job.schema.json
				    topic: jobs-three
				    group: jobs-three
				  orders:
				    contract: real-job.schema.json
				    topic: jobs-three-orders
				    group: jobs-three-orders
				""");
		assertThat(this.resources.topics()).containsExactly("jobs-three", "jobs-three-orders");
	}

	@Test
	void writesTheFileBesideItsContract() throws Exception {
		Path file = Path.of(this.resources.write(Path.of(".."), this.folder).get("JOBS_RESOURCES"));

		assertThat(Files.readString(file)).isEqualTo(this.resources.yaml());
		assertThat(file.resolveSibling("real-job.schema.json")).content().contains("locations", "maxLength", "enum");
	}

}
