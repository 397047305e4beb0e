package jobs.endtoend.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The file of a run with four resources: the jobs, orders whose contract changes, one
 * that is poisoned, and one whose documents have versions.
 * <p>
 * The contract of the orders changes as the manual says of one that allows something new:
 * by two roll-outs, the first of which tells kafka-to-mongo of it.
 */
final class ResourcesFile {

	static final String ORDERS = "orders";

	static final String POISONED = "poisoned";

	static final String VERSIONED = "versioned";

	private final Path folder;

	ResourcesFile(Path folder) {
		this.folder = folder;
		write("orders-1.schema.json", contract("\"string\""));
		write("orders-2.schema.json", contract("[\"string\", \"integer\"]"));
		write("versioned.schema.json", """
				{
				  "type": "object",
				  "required": ["name", "version"],
				  "properties": { "name": { "type": "string" }, "version": { "type": "integer" } }
				}
				""");
		write("[orders-1.schema.json]");
	}

	private static String contract(String grade) {
		return """
				{
				  "type": "object",
				  "required": ["title", "n", "more"],
				  "properties": {
				    "title": { "type": "string", "pattern": "\\\\S" },
				    "n": { "type": "integer", "minimum": 0 },
				    "grade": { "type": %s },
				    "more": { "type": "object", "properties": { "text": { "type": "string", "maxLength": 250000 } } }
				  }
				}
				""".formatted(grade);
	}

	/** As both services get it. */
	String address() {
		return "file:" + this.folder.resolve("resources.yaml");
	}

	/**
	 * Each kafka-to-mongo takes both contracts, and no rest-to-kafka asks for the new.
	 */
	void announceContract() {
		write("[orders-2.schema.json, orders-1.schema.json]");
	}

	/** Each rest-to-kafka asks for the new contract. */
	void changeContract() {
		write("[orders-1.schema.json, orders-2.schema.json]");
	}

	private void write(String contracts) {
		write("resources.yaml", """
				resources:
				  jobs: {}
				  %s:
				    contract: %s
				  %s:
				    contract: orders-1.schema.json
				  %s:
				    contract: versioned.schema.json
				    id: /name
				    version: /version
				""".formatted(ORDERS, contracts, POISONED, VERSIONED));
	}

	/** A service that starts meanwhile reads the one before, or this one. */
	private void write(String name, String content) {
		try {
			Path whole = Files.writeString(this.folder.resolve(name + ".new"), content);
			Files.move(whole, this.folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
