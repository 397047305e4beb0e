package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

import jobs.endtoend.pair.Pair;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What Strimzi makes is what the services, and the script with their rights, would make.
 */
class StrimziTests {

	private static final Path DEPLOY = Path.of("..", "deploy");

	private static final Path STRIMZI = DEPLOY.resolve("strimzi");

	@Test
	void givesTheRightsOfTheScript(@TempDir Path folder) throws Exception {
		Path acls = folder.resolve("kafka-acls");
		Files.writeString(acls, "#!/bin/sh\necho \"$@\"\n");
		assertThat(acls.toFile().setExecutable(true)).isTrue();
		ProcessBuilder script = new ProcessBuilder("bash",
				DEPLOY.resolve("kafka-rights.sh").toAbsolutePath().toString(), "servers");
		script.environment().put("KAFKA_ACLS", acls.toString());
		Process process = script.start();
		// --bootstrap-server servers --add --allow-principal User:X --operation Y --topic
		// Z
		Set<String> byScript = new TreeSet<>(process.inputReader()
			.lines()
			.map((line) -> line.split(" "))
			.map((words) -> String.join(" ", words[4].substring("User:".length()), words[6], words[7].substring(2),
					words[8]))
			.toList());

		assertThat(process.waitFor()).isZero();
		assertThat(byScript).isNotEmpty().isEqualTo(byStrimzi());
	}

	private static Set<String> byStrimzi() throws IOException {
		Set<String> rights = new TreeSet<>();
		for (Node user : Node.read(STRIMZI.resolve("users.yaml"), "KafkaUser")) {
			for (Node acl : user.get("spec").get("authorization").list("acls")) {
				for (String operation : acl.texts("operations")) {
					rights.add(String.join(" ", user.get("metadata").text("name"), operation,
							acl.get("resource").text("type"), acl.get("resource").text("name")));
				}
			}
		}
		return rights;
	}

	@Test
	@Tag("night")
	void makesTheTopicsOfTheServices() throws Exception {
		List<Node> topics = Node.read(STRIMZI.resolve("topics.yaml"), "KafkaTopic");
		assertThat(topics).hasSize(2);
		try (Pair pair = new Pair().start(); Admin admin = Pair.admin()) {
			requireSame(topics.getFirst(), pair.topic, admin);
			requireSame(topics.getLast(), pair.deadLetterTopic, admin);
		}
	}

	private static void requireSame(Node wanted, String topic, Admin admin) throws Exception {
		ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
		Config config = admin.describeConfigs(List.of(resource)).all().get(30, TimeUnit.SECONDS).get(resource);
		int partitions = admin.describeTopics(List.of(topic))
			.allTopicNames()
			.get(30, TimeUnit.SECONDS)
			.get(topic)
			.partitions()
			.size();

		assertThat(wanted.get("spec").number("partitions")).isEqualTo(partitions);
		Map<String, Object> settings = wanted.get("spec").get("config").map();
		assertThat(settings).containsEntry("min.insync.replicas", 2);
		// here is one broker
		settings.remove("min.insync.replicas");
		settings.forEach((name, value) -> assertThat(config.get(name).value()).as(name).isEqualTo(value.toString()));
	}

	@Test
	void letsNoMorePodsReadThanThereArePartitions() throws IOException {
		Node object = Node.read(DEPLOY.resolve("components/keda/kafka-to-mongo.yaml"), "ScaledObject").getFirst();
		Node topic = Node.read(STRIMZI.resolve("topics.yaml"), "KafkaTopic").getFirst();

		assertThat(object.get("spec").number("maxReplicaCount")).isEqualTo(topic.get("spec").number("partitions"));
	}

}
