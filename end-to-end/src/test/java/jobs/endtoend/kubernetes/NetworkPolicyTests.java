package jobs.endtoend.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The network policy names who gets in and who is reached, not ports alone.
 */
class NetworkPolicyTests {

	private static final Path FILE = Path.of("..", "deploy", "components", "network-policy", "network-policy.yaml");

	private static final Pattern LABEL = Pattern.compile("(?<![\\w/.-])jobs/[a-z]+");

	@ParameterizedTest
	@CsvSource({ "ingress, from", "egress, to" })
	void namesEachPeer(String direction, String peers) throws IOException {
		assertThat(policies()).hasSize(2).allSatisfy((policy) -> {
			assertThat(policy.get("spec").texts("policyTypes")).containsExactly("Ingress", "Egress");
			assertThat(policy.get("spec").list(direction)).isNotEmpty().allSatisfy((rule) -> {
				assertThat(rule.list("ports")).isNotEmpty();
				assertThat(rule.list(peers)).isNotEmpty().allMatch(NetworkPolicyTests::isNarrow);
			});
		});
	}

	/** Selectors without labels are everybody, and so is a wide range of addresses. */
	private static boolean isNarrow(Node peer) {
		return peer.map()
			.entrySet()
			.stream()
			.allMatch((part) -> part.getKey().equals("ipBlock") ? new Node(part.getValue()).text("cidr").endsWith("/32")
					: !new Node(part.getValue()).get("matchLabels").map().isEmpty());
	}

	@Test
	void letsNeitherServiceReachTheOther() throws IOException {
		assertThat(policies().stream().flatMap(NetworkPolicyTests::peers)).isNotEmpty()
			.noneMatch((peer) -> peer.value().toString().contains("app.kubernetes.io"));
	}

	@Test
	void letsKafkaToMongoAloneReachMongoDb() throws IOException {
		assertThat(policies().stream().filter((policy) -> policy.value().toString().contains("27017")))
			.extracting((policy) -> policy.get("metadata").text("name"))
			.containsExactly("kafka-to-mongo");
	}

	/** Else somebody would be locked out without a word. */
	@Test
	void namesEachLabelInTheDocument() throws IOException {
		assertThat(labels(Files.readString(Path.of("..", "docs", "kubernetes.md"))))
			.containsExactlyInAnyOrderElementsOf(labels(Files.readString(FILE)));
	}

	private static List<String> labels(String text) {
		return LABEL.matcher(text).results().map(MatchResult::group).distinct().toList();
	}

	private static Stream<Node> peers(Node policy) {
		return Map.of("ingress", "from", "egress", "to")
			.entrySet()
			.stream()
			.flatMap((direction) -> policy.get("spec")
				.list(direction.getKey())
				.stream()
				.flatMap((rule) -> rule.list(direction.getValue()).stream()));
	}

	private static List<Node> policies() throws IOException {
		return Node.read(FILE, "NetworkPolicy");
	}

}
