package jobs.localstack;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;

import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/**
 * A Kafka broker (KRaft) that keeps its data in a folder.
 */
final class KafkaBroker {

	private static final Uuid CLUSTER_ID = new Uuid(0x6a6f6273L, 1);

	private KafkaBroker() {
	}

	/**
	 * Runs until it is killed.
	 * @param args the data folder, the port, and further lines of the
	 * {@code server.properties} that is written there, which replace those of the same
	 * name
	 */
	static void main(String[] args) throws IOException {
		Path data = Path.of(args[0]);
		Path properties = Files.createDirectories(data).resolve("server.properties");
		List<String> settings = List.of(args).subList(2, args.length);
		write(properties, properties(data, Integer.parseInt(args[1]), Ports.free()) + String.join("\n", settings));
		if (Files.notExists(data.resolve("log/meta.properties"))) {
			StorageTool.execute(
					new String[] { "format", "--config", properties.toString(), "--cluster-id", CLUSTER_ID.toString() },
					System.out);
		}
		Kafka.main(new String[] { properties.toString() });
	}

	/** Kafka reads its file as Latin-1: any other letter has to be escaped. */
	private static void write(Path file, String settings) throws IOException {
		Properties properties = new Properties();
		properties.load(new StringReader(settings));
		try (OutputStream out = Files.newOutputStream(file)) {
			properties.store(out, null);
		}
	}

	private static String properties(Path data, int port, int controllerPort) {
		return """
				process.roles=broker,controller
				node.id=1
				listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
				advertised.listeners=PLAINTEXT://127.0.0.1:%1$d
				controller.listener.names=CONTROLLER
				controller.quorum.voters=1@127.0.0.1:%2$d
				log.dirs=%3$s
				auto.create.topics.enable=false
				default.replication.factor=1
				offsets.topic.replication.factor=1
				offsets.topic.num.partitions=4
				transaction.state.log.replication.factor=1
				transaction.state.log.min.isr=1
				group.initial.rebalance.delay.ms=0
				""".formatted(port, controllerPort, data.resolve("log"));
	}

}
