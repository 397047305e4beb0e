package jobs.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A contract of several files. */
class ContractFilesTests {

	@TempDir
	@SuppressWarnings("NullAway.Init")
	private Path folder;

	@Test
	void isOneFileUnchanged() throws Exception {
		String text = "{ \"type\" : \"object\" }\n";
		Contract contract = contract(text);

		assertThat(contract.schema()).isEqualTo(text);
		assertThat(contract.digest()).isEqualTo(HexFormat.of()
			.formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8))));
	}

	@Test
	void hasTheDigestOfTheFileOfJobs() throws Exception {
		byte[] file = Files.readAllBytes(Path.of("job.schema.json"));

		assertThat(Contract.load().schema().getBytes(StandardCharsets.UTF_8)).isEqualTo(file);
		assertThat(Contract.load().digest())
			.isEqualTo(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(file)));
	}

	@Test
	void bundlesWhatItRefersTo() throws Exception {
		write("types/money.json", "{'type':'number','$defs':{'cents':{'$ref':'count.json'}}}");
		write("types/count.json", "{'$id':'https://example.com/count.json','type':'integer','minimum':0}");
		Contract contract = contract(
				"{'properties':{'a':{'$ref':'types/money.json'},'b':{'$ref':'types/money.json#/$defs/cents'}}}");

		assertThat(violations(contract, "{\"a\":\"x\",\"b\":-1}")).containsExactlyInAnyOrder("/a", "/b");
		assertThat(violations(contract, "{\"a\":1.5,\"b\":1}")).isEmpty();
		JsonNode bundle = new JsonMapper().readTree(contract.schema());
		assertThat(bundle.at("/$defs/types~1count.json/$id").asString()).isEqualTo("https://example.com/count.json");
		assertThat(bundle.at("/$defs/types~1money.json/$id").asString()).startsWith("https://contract.invalid/");
		assertThat(violations(new Contract(contract.schema()), "{\"a\":\"x\",\"b\":-1}"))
			.containsExactlyInAnyOrder("/a", "/b");
	}

	@Test
	void mayReferToEachOther() throws Exception {
		write("tree.json", "{'properties':{'next':{'$ref':'contract.json'}}}");
		Contract contract = contract("{'required':['a'],'properties':{'tree':{'$ref':'tree.json'}}}");

		assertThat(violations(contract, "{\"a\":1,\"tree\":{\"next\":{}}}")).containsExactly("/tree/next/a");
		assertThat(violations(contract, "{\"a\":1,\"tree\":{\"next\":{\"a\":1}}}")).isEmpty();
	}

	@Test
	void findsFilesByTheAddressOfTheFirst() throws Exception {
		write("money.json", "{'$id':'https://example.com/schemas/money.json','type':'number'}");
		Contract contract = contract(
				"{'$id':'https://example.com/schemas/contract.json','properties':{'a':{'$ref':'money.json'},'b':{'$ref':'https://example.com/schemas/money.json'}}}");

		assertThat(violations(contract, "{\"a\":\"x\",\"b\":\"x\"}")).containsExactlyInAnyOrder("/a", "/b");
	}

	@Test
	void hasWordsInEveryFile() throws Exception {
		write("a.json", "{'type':'string','minLength':1,'x-detail':{'minLength':'must say something'}}");

		assertThat(refusal(contract("{'properties':{'a':{'$ref':'a.json'}}}"), "{\"a\":\"\"}").violations())
			.containsExactly(new Violation("/a", "must say something"));
	}

	/** Clients learn nothing of this machine. */
	@Test
	void tellsClientsNoPath() throws Exception {
		write("a.json", "{'type':'string'}");
		Contract contract = contract("{'properties':{'a':{'$ref':'a.json'}}}");

		assertThat(contract.schema()).doesNotContain(this.folder.toString());
		assertThat(refusal(contract, "{\"a\":1}").violations().toString()).doesNotContain(this.folder.toString());
	}

	/** As Kubernetes mounts a ConfigMap. */
	@Test
	void followsLinksWithinTheFolder() throws Exception {
		write("..2026_11/contract.json", "{'properties':{'a':{'$ref':'a.json'}}}");
		write("..2026_11/a.json", "{'type':'string'}");
		Files.createSymbolicLink(this.folder.resolve("..data"), Path.of("..2026_11"));
		Files.createSymbolicLink(this.folder.resolve("contract.json"), Path.of("..data/contract.json"));
		Files.createSymbolicLink(this.folder.resolve("a.json"), Path.of("..data/a.json"));

		Contract contract = Contract.of(this.folder.resolve("contract.json"), ContractSettings.DEFAULTS);
		assertThat(violations(contract, "{\"a\":1}")).containsExactly("/a");
	}

	@Test
	void followsNoLinkOutOfTheFolder(@TempDir Path outside) throws Exception {
		Files.writeString(outside.resolve("a.json"), "{}");
		Files.createSymbolicLink(this.folder.resolve("a.json"), outside.resolve("a.json"));

		refuses("{'properties':{'a':{'$ref':'a.json'}}}", "/properties/a/$ref", "leads out of the folder");
	}

	@ParameterizedTest
	@ValueSource(strings = { "/etc/hostname", "../contract.json", "a/../../b.json", "http://example.com/a.json",
			"https://example.com/a.json", "file:///etc/hostname", "classpath:job.schema.json",
			"resource:job.schema.json", "jar:file:/a.jar!/b", "missing.json", "%2e%2e/a.json", "a\\u0000b", "urn:a:b",
			"//host/a.json", "#/nothing", "#nothing", "https://json-schema.org/draft/2020-12/meta/core",
			"https://json-schema.org/draft-07/schema", "a b" })
	void refusesOtherReferences(String ref) throws Exception {
		ContractException refusal = assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> contract("{'properties':{'a':{'$ref':'%s'}}}".formatted(ref)))
			.actual();

		assertThat(refusal).hasMessageContaining("contract.json").hasMessageContaining("/properties/a/$ref");
	}

	@Test
	void mayReferToTheMetaSchema() throws Exception {
		Contract contract = contract("{'properties':{'a':{'$ref':'https://json-schema.org/draft/2020-12/schema'}}}");

		assertThat(violations(contract, "{\"a\":{\"type\":\"strnig\"}}")).isNotEmpty();
		assertThat(violations(contract, "{\"a\":{\"type\":\"string\"}}")).isEmpty();
	}

	@Test
	void namesTheFileThatIsWrong() throws Exception {
		write("a.json", "{'properties':{'b':{'type':'strnig'}}}");
		write("c.json", "{\n 'type': }");

		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> contract("{'properties':{'a':{'$ref':'a.json'}}}"))
			.withMessageContaining("a.json, at \"/properties/b/type\"");
		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> contract("{'properties':{'a':{'$ref':'c.json'}}}"))
			.withMessageContaining("c.json, line 2, column");
	}

	@Test
	void hasAtMostFourMegabytes() throws Exception {
		for (int i = 0; i < 5; i++) {
			write("a" + i + ".json", "{'description':'" + "x".repeat(1_000_000) + "'}");
		}

		refuses("{'allOf':[{'$ref':'a0.json'},{'$ref':'a1.json'},{'$ref':'a2.json'},{'$ref':'a3.json'},{'$ref':'a4.json'}]}",
				"/allOf/4/$ref", "together are larger");
	}

	private void refuses(String rules, String... words) {
		assertThatExceptionOfType(ContractException.class).isThrownBy(() -> contract(rules))
			.satisfies((ex) -> assertThat(ex.getMessage()).contains(words));
	}

	private Contract contract(String rules) throws IOException {
		write("contract.json", rules);
		return Contract.of(this.folder.resolve("contract.json"), ContractSettings.DEFAULTS);
	}

	private void write(String name, String text) throws IOException {
		Path file = this.folder.resolve(name);
		Files.createDirectories(file.getParent());
		Files.writeString(file, text.replace('\'', '"'));
	}

	private static List<String> violations(Contract contract, String document) {
		try {
			contract.check(document.getBytes(StandardCharsets.UTF_8));
			return List.of();
		}
		catch (RefusedDocumentException ex) {
			return ex.violations().stream().map(Violation::pointer).distinct().toList();
		}
	}

	private static RefusedDocumentException refusal(Contract contract, String document) {
		return assertThatExceptionOfType(RefusedDocumentException.class)
			.isThrownBy(() -> contract.check(document.getBytes(StandardCharsets.UTF_8)))
			.actual();
	}

}
