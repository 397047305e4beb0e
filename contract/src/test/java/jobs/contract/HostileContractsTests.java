package jobs.contract;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import jobs.contract.HostileContracts.Hostile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class HostileContractsTests {

	private static final Duration START = Duration.ofSeconds(15);

	private static final Duration ANSWER = Duration.ofSeconds(1);

	@TempDir
	@SuppressWarnings("NullAway.Init")
	static Path folder;

	private static List<Hostile> hostile = List.of();

	@BeforeAll
	static void writeContracts() throws IOException {
		hostile = new HostileContracts(Files.createDirectory(folder.resolve("here"))).all();
	}

	@ParameterizedTest
	@MethodSource
	void refusesWithItsReason(Hostile contract) {
		assertThat(inBackground(contract::check)).succeedsWithin(START).isEqualTo("");
	}

	static List<Hostile> refusesWithItsReason() {
		return hostile;
	}

	@Test
	void refusesAllOfThemIn256MiB() throws Exception {
		Path other = Files.createDirectory(folder.resolve("small"));
		Path output = folder.resolve("output");

		Process small = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
				HostileContracts.class.getName(), other.toString())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();

		try {
			assertThat(small.waitFor(2, TimeUnit.MINUTES)).isTrue();
			assertThat(small.exitValue()).as(Files.readString(output)).isZero();
		}
		finally {
			small.destroyForcibly();
		}
	}

	@Test
	void connectsToNothing() throws IOException {
		try (ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
			String host = "http://127.0.0.1:%d".formatted(server.getLocalPort());
			for (String rules : List.of("{\"$ref\":\"%s/a.json\"}", "{\"$schema\":\"%s/a.json\"}",
					"{\"$dynamicRef\":\"%s/a.json#a\"}", "{\"$id\":\"%s/b.json\",\"$ref\":\"a.json\"}")) {
				Path file = Files.writeString(folder.resolve("connects.json"), rules.formatted(host));

				assertThatExceptionOfType(ContractException.class)
					.isThrownBy(() -> Contract.of(file, ContractSettings.DEFAULTS));
			}
			server.setSoTimeout(1);

			assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(server::accept);
		}
	}

	/**
	 * Without RE2/J each of them takes minutes or the stack.
	 */
	@ParameterizedTest
	@CsvSource(textBlock = """
			pattern-nested-plus.json,             a, '!'
			pattern-alternatives.json,            a, '!'
			pattern-alternatives-of-classes.json, a, '!'
			pattern-java-class-name.json,         a, '!'
			pattern-dots.json,                    a, '?'
			pattern-two-plus.json,                x, ''
			pattern-e-mail.json,                  a, '!'
			pattern-trim.json,                    ' ', '!'
			pattern-optionals.json,               a, '!'
			""", ignoreLeadingAndTrailingWhitespace = true)
	void answersInASecond(Path file, String repeated, String end) {
		Contract contract = Contract.of(slow(file), ContractSettings.DEFAULTS);
		byte[] document = utf8("{\"value\":\"" + repeated.repeat(50_000) + end + "\"}");

		assertThat(inBackground(() -> check(contract, document))).succeedsWithin(ANSWER);
	}

	@Test
	void answersInASecondForALongName() {
		Contract contract = Contract.of(slow(Path.of("pattern-of-names.json")), ContractSettings.DEFAULTS);
		byte[] document = utf8("{\"value\":{\"" + "a".repeat(40_000) + "!\":1}}");

		assertThat(inBackground(() -> check(contract, document))).succeedsWithin(ANSWER).isEqualTo(false);
	}

	/** Else a document has as many checks as two to the power of its levels. */
	@ParameterizedTest
	@CsvSource({ "child-visited-twice.json, {}", "child-visited-twice.json, 1",
			"child-visited-by-two-branches.json, {}", "child-visited-by-two-branches.json, 1",
			"laughs-properties.json, {}", "laughs-properties.json, 1" })
	void answersInASecondForADeepDocumentUnlessItRefusesTheContract(Path file, String innermost) {
		byte[] document = utf8("{\"value\":" + "{\"a\":1,\"child\":".repeat(60) + innermost + "}".repeat(61));

		assertThat(inBackground(() -> isRefusedOrAnswers(slow(file), document))).succeedsWithin(ANSWER);
	}

	private static boolean isRefusedOrAnswers(Path file, byte[] document) {
		try {
			return check(Contract.of(file, ContractSettings.DEFAULTS), document);
		}
		catch (ContractException ex) {
			return false;
		}
	}

	@Test
	void acceptsAMebibyte() throws IOException {
		String start = "{\"title\":\"";
		Path file = Files.writeString(folder.resolve("mebibyte.json"),
				start + "x".repeat(1024 * 1024 - start.length() - 2) + "\"}");

		assertThatNoException().isThrownBy(() -> Contract.of(file, ContractSettings.DEFAULTS));
	}

	@Test
	void acceptsSixtyFourLevels() throws IOException {
		Path file = Files.writeString(folder.resolve("levels.json"),
				"{\"default\":" + "[".repeat(63) + "]".repeat(63) + "}");

		assertThatNoException().isThrownBy(() -> Contract.of(file, ContractSettings.DEFAULTS));
	}

	/** Kubernetes mounts each file as a link to a folder of the same mount. */
	@Test
	void acceptsTheLinksOfAConfigMap() throws IOException {
		Path mount = Files.createDirectory(folder.resolve("mount"));
		Path version = Files.createDirectory(mount.resolve("..2026_11_27"));
		Files.writeString(version.resolve("orders.json"), "{\"properties\":{\"value\":{\"$ref\":\"value.json\"}}}");
		Files.writeString(version.resolve("value.json"), "{\"type\":\"string\"}");
		Files.createSymbolicLink(mount.resolve("..data"), Path.of("..2026_11_27"));
		for (String name : List.of("orders.json", "value.json")) {
			Files.createSymbolicLink(mount.resolve(name), Path.of("..data", name));
		}

		Contract contract = Contract.of(mount.resolve("orders.json"), ContractSettings.DEFAULTS);

		assertThat(check(contract, utf8("{\"value\":\"a\"}"))).isTrue();
		assertThat(check(contract, utf8("{\"value\":1}"))).isFalse();
	}

	/** A tree is a cycle that takes input. */
	@Test
	void acceptsATree() throws IOException {
		Path file = Files.writeString(folder.resolve("tree.json"), """
				{"type":"object","properties":{"name":{"type":"string"},
				 "children":{"type":"array","items":{"$ref":"#"}}},"required":["name"]}""");

		Contract contract = Contract.of(file, ContractSettings.DEFAULTS);

		assertThat(check(contract, utf8("{\"name\":\"a\",\"children\":[{\"name\":\"b\",\"children\":[]}]}"))).isTrue();
		assertThat(check(contract, utf8("{\"name\":\"a\",\"children\":[{\"children\":[]}]}"))).isFalse();
	}

	/** A thread of its own, for one that hangs may not hold up the others. */
	private static <T> CompletableFuture<T> inBackground(Supplier<T> work) {
		return CompletableFuture.supplyAsync(work, (task) -> Thread.ofPlatform().daemon().start(task));
	}

	private static Path slow(Path file) {
		return HostileContracts.STORED.resolve("slow").resolve(file);
	}

	private static boolean check(Contract contract, byte[] document) {
		try {
			contract.check(document);
			return true;
		}
		catch (RefusedDocumentException ex) {
			return false;
		}
	}

	private static byte[] utf8(String document) {
		return document.getBytes(StandardCharsets.UTF_8);
	}

}
