package jobs.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.sun.management.OperatingSystemMXBean;
import jobs.localstack.Programs;
import org.apache.catalina.util.ServerInfo;
import org.apache.kafka.common.utils.AppInfoParser;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * Where and with what a run was made, so that two runs can be told apart.
 *
 * @param date the day and the minute, UTC
 * @param commit what was measured
 * @param hardware processor, cores and memory
 * @param versions of what takes part
 */
record Machine(String date, String commit, String hardware, List<String> versions) {

	/**
	 * Looks around.
	 * @param root the folder of the project
	 * @param database the port of a {@code mongod}, or 0 where there is none
	 * @param bridge the folder of an unpacked release of Strimzi's bridge, or
	 * {@code null}
	 */
	static Machine describe(Path root, int database, @Nullable Path bridge) throws IOException {
		OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
		String hardware = "%s, %d cores, %d GiB, %s %s".formatted(processor(), system.getAvailableProcessors(),
				Math.round(system.getTotalMemorySize() / (double) (1 << 30)), system.getName(), system.getVersion());
		String date = LocalDateTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.MINUTES).toString().replace('T', ' ');
		return new Machine(date, System.getProperty("commit", "unknown"), hardware, Stream
			.of("Java " + Runtime.version(), "Kafka " + AppInfoParser.getVersion(),
					ServerInfo.getServerInfo().replace('/', ' '),
					jar(root.resolve(Contestants.CONNECTOR_JARS), "mongo-kafka-connect-"),
					jar(root.resolve(Contestants.CONNECTOR_JARS), "connect-runtime-"),
					(bridge != null) ? jar(bridge.resolve("libs"), "io.strimzi.kafka-bridge-") : "", mongod(database))
			.filter((version) -> !version.isEmpty())
			.toList());
	}

	/** All of it, in one sentence. */
	String text() {
		return "%s UTC at commit %s (%s; %s)".formatted(this.date, this.commit, this.hardware,
				String.join(", ", this.versions));
	}

	private static String processor() {
		try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
			return lines.filter((line) -> line.startsWith("model name"))
				.map((line) -> line.substring(line.indexOf(':') + 1).strip())
				.findFirst()
				.orElse(System.getProperty("os.arch"));
		}
		catch (IOException ex) {
			return System.getProperty("os.arch");
		}
	}

	private static String jar(Path folder, String begin) throws IOException {
		try (Stream<Path> jars = Files.list(folder)) {
			return jars.map((jar) -> jar.getFileName().toString().replace(".jar", ""))
				.filter((name) -> name.startsWith(begin))
				.findFirst()
				.orElseThrow();
		}
	}

	/**
	 * Whether a program is a script, which MongoDB's own server is not.
	 */
	private static boolean isScript(Path program) throws IOException {
		try (InputStream in = Files.newInputStream(program)) {
			return new String(in.readNBytes(2), StandardCharsets.ISO_8859_1).equals("#!");
		}
	}

	private static String mongod(int database) throws IOException {
		if (database == 0) {
			return "no mongod on the PATH";
		}
		try (MongoClient mongo = MongoClients.create("mongodb://127.0.0.1:%d".formatted(database))) {
			Document build = mongo.getDatabase("admin").runCommand(new Document("buildInfo", 1));
			Path mongod = Objects.requireNonNull(Programs.onPath("mongod"));
			return (isScript(mongod) ? "a script named mongod, no server of MongoDB's, that says it is "
					: "mongod that says it is ") + build.getString("version");
		}
	}

}
