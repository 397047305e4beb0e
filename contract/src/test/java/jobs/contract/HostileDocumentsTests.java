package jobs.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** Documents of up to 512 kB that ask much of contracts as people write them. */
class HostileDocumentsTests {

	private static final Duration ANSWER = Duration.ofSeconds(10);

	@TempDir
	@SuppressWarnings("NullAway.Init")
	Path folder;

	@Test
	void answersForExponentsAndCents() throws IOException {
		answersInTime("{\"items\":{\"multipleOf\":0.01}}", list(37_000, (i) -> "1e6000"));
	}

	@Test
	void answersForExponentsAndTinySteps() throws IOException {
		answersInTime("{\"items\":{\"multipleOf\":1e-300}}", list(37_000, (i) -> "1e6000"));
	}

	@Test
	void answersForUniqueStringsOfOneHash() throws IOException {
		answersInTime("{\"uniqueItems\":true}", list(16_384, (i) -> "\"" + colliding(i) + "\""));
	}

	@Test
	void answersForUniqueListsOfOneHash() throws IOException {
		answersInTime("{\"uniqueItems\":true}", list(16_384, (i) -> "[\"" + colliding(i) + "\"]"));
	}

	@Test
	void answersForManyAlternatives() throws IOException {
		answersInTime("{\"items\":{\"anyOf\":%s}}".formatted(list(1000, "{\"const\":%d}"::formatted)),
				list(60_000, (i) -> "999"));
	}

	/** Those that the walk leaves to the validator. */
	@Test
	void answersForManyAlternativesOfTwoRules() throws IOException {
		answersInTime(
				"{\"items\":{\"anyOf\":%s}}".formatted(list(1000, "{\"const\":%d,\"type\":\"integer\"}"::formatted)),
				list(60_000, (i) -> "999"));
	}

	/** Each value breaks as many rules as there are alternatives. */
	@Test
	void answersForValuesOfNoAlternative() throws IOException {
		String alternatives = "{\"items\":{\"anyOf\":%s}}".formatted(list(1000, "{\"const\":%d}"::formatted));
		answersInTime(alternatives, list(60_000, (i) -> "1999"));
		answersInTime("{\"anyOf\":[%s]}".formatted(alternatives), list(60_000, (i) -> "1999"));
	}

	/** Each object breaks as many rules as it misses fields. */
	@Test
	void answersForManyMissingFields() throws IOException {
		answersInTime("{\"items\":{\"required\":%s}}".formatted(list(500, "\"field%d\""::formatted)),
				list(87_000, (i) -> "{}"));
	}

	private void answersInTime(String rules, String value) throws IOException {
		Path file = Files.writeString(this.folder.resolve("contract.json"),
				"{\"properties\":{\"value\":%s}}".formatted(rules));
		Contract contract = Contract.of(file, ContractSettings.DEFAULTS);
		byte[] document = "{\"value\":%s}".formatted(value).getBytes(StandardCharsets.UTF_8);

		assertThat(CompletableFuture.supplyAsync(() -> accepts(contract, document),
				(task) -> Thread.ofPlatform().daemon().start(task)))
			.succeedsWithin(ANSWER);
	}

	private static boolean accepts(Contract contract, byte[] document) {
		try {
			contract.check(document);
			return true;
		}
		catch (RefusedDocumentException ex) {
			return false;
		}
	}

	private static String list(int count, IntFunction<String> value) {
		return IntStream.range(0, count).mapToObj(value).collect(Collectors.joining(",", "[", "]"));
	}

	/** All of them have one {@link String#hashCode()}. */
	private static String colliding(int number) {
		List<String> halves = List.of("Aa", "BB");
		return IntStream.range(0, 14).mapToObj((bit) -> halves.get((number >> bit) & 1)).collect(Collectors.joining());
	}

}
