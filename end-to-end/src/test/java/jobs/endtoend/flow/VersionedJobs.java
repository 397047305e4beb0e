package jobs.endtoend.flow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** A file of resources whose jobs are orders with an id and a version of their own. */
final class VersionedJobs {

	private VersionedJobs() {
	}

	/** Writes the file into a folder, and returns the settings that name it. */
	static Map<String, String> in(Path folder) throws IOException {
		Files.writeString(folder.resolve("order.schema.json"), """
				{"type":"object","required":["orderNumber","revision"],"properties":{
				 "orderNumber":{"type":"string"},"revision":{"type":"integer"}}}""");
		Path file = Files.writeString(folder.resolve("resources.yaml"), """
				resources:
				  jobs:
				    contract: order.schema.json
				    id: /orderNumber
				    version: /revision
				""");
		return Map.of("JOBS_RESOURCES", "file:" + file);
	}

}
