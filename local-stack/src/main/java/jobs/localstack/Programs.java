package jobs.localstack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The programs that run here as processes.
 */
public final class Programs {

	private Programs() {
	}

	/**
	 * A Java program, run by the Java that runs this, which ends when it runs out of
	 * memory.
	 * @param name its name
	 * @param log the file that its output is appended to
	 * @param environment what it gets beside this process's own environment
	 * @param arguments of {@code java}
	 * @return the process, not started
	 */
	public static Child java(String name, Path log, Map<String, String> environment, String... arguments) {
		List<String> command = new ArrayList<>();
		command.add(javaOfThis().toString());
		command.add("-XX:+ExitOnOutOfMemoryError");
		command.addAll(List.of(arguments));
		return new Child(name, log, environment, command);
	}

	/** The {@code java} that runs this. */
	static Path javaOfThis() {
		return Path.of(System.getProperty("java.home"), "bin", "java");
	}

	/**
	 * A Kafka broker, alone where its settings don't say otherwise.
	 * @param data its folder
	 * @param port its port
	 * @param log the file that its output is appended to
	 * @param settings further lines of its {@code server.properties}, which replace those
	 * of the same name
	 * @return the process, not started
	 */
	public static Child kafka(Path data, int port, Path log, String... settings) {
		return kafka(data, port, log, Map.of(), settings);
	}

	/**
	 * A Kafka broker as above.
	 * @param environment what it gets beside this process's own environment
	 */
	public static Child kafka(Path data, int port, Path log, Map<String, String> environment, String... settings) {
		List<String> java = new ArrayList<>(List.of("-Xmx512m", "-cp", System.getProperty("java.class.path"),
				"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true",
				KafkaBroker.class.getName(), data.toString(), Integer.toString(port)));
		java.addAll(List.of(settings));
		return java("Kafka", log, environment, java.toArray(String[]::new)).leftLast();
	}

	/**
	 * A {@code mongod} where one is found on the PATH, else the embedded stand-in.
	 * @param data the folder above its data
	 * @param port its port
	 * @param log the file that its output is appended to
	 * @param options further options of {@code mongod}; the stand-in knows none
	 * @return the process, not started
	 */
	public static Child mongo(Path data, int port, Path log, String... options) throws IOException {
		Path mongod = onPath("mongod");
		if (mongod != null) {
			Path folder = Files.createDirectories(data.resolve("mongod"));
			List<String> command = new ArrayList<>(List.of(mongod.toString(), "--dbpath", folder.toString(), "--port",
					Integer.toString(port), "--bind_ip", "127.0.0.1"));
			command.addAll(List.of(options));
			return new Child("MongoDB by " + mongod, log, Map.of(), command).leftLast();
		}
		return java("an embedded stand-in for MongoDB", log, Map.of(), "-Xmx1g", "-cp",
				System.getProperty("java.class.path"), "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
				// it warns of each index, whenever it is asked for, that it has none
				"-Dorg.slf4j.simpleLogger.log.de.bwaldvogel.mongo.backend=error", EmbeddedMongo.class.getName(),
				data.resolve("embedded").toString(), Integer.toString(port))
			.leftLast();
	}

	/**
	 * Looks for a program on the PATH.
	 * @param program its name
	 * @return its file, or {@code null} where there is none
	 */
	public static @Nullable Path onPath(String program) {
		for (String folder : System.getenv().getOrDefault("PATH", "").split(":")) {
			Path file = Path.of(folder, program);
			if (Files.isExecutable(file) && Files.isRegularFile(file)) {
				return file;
			}
		}
		return null;
	}

}
