package jobs.contract;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/** What a contract may not be, and what a document may not make of a good one. */
@Timeout(30)
class ContractBoundsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "{'type':'strnig'} | /type", "{'required':'a'} | /required", "{'minLength':-1} | /minLength",
					"{'properties':{'a':{'pattern':'('}}} | /properties/a/pattern",
					"{'patternProperties':{'[':{}}} | /patternProperties/[", "{'multipleOf':0} | /multipleOf",
					"{'multipleOf':1e-999999999} | /multipleOf", "{'minLength':1e999999999} | /minLength",
					"{'maximum':1e999999999} | /maximum", "{'maxItems':1e400} | /maxItems",
					"{'properties':{'a/b':7}} | /properties/a~1b", "{'$ref':'#/$defs/a'} | /$ref",
					"{'$dynamicRef':'#a'} | /$dynamicRef", "{'enum':7} | /enum",
					"{'$schema':'http://json-schema.org/draft-07/schema#'} | /$schema",
					"{'$schema':'https://json-schema.org/draft/2019-09/schema'} | /$schema", "{'false':1} | /false",
					"{'$defs':{'a':{'$anchor':'x'},'b':{'$anchor':'x'}}} | /$defs/b",
					"{'$defs':{'a':{'$id':'x'},'b':{'$id':'x'}}} | /$defs/b/$id", "[] | at \"\"",
					"{'properties':{'a':{'pattern':'a(?=b)'}}} | RE2/J" })
	void refusesWhatIsNoContract(String rules, String place) {
		assertThatExceptionOfType(ContractException.class).isThrownBy(() -> contract(rules))
			.withMessageContaining(place);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "{ | line 1", "{'a':1,'a':2} | Duplicate", "{} {} | line 1", "{'a':NaN} | line 1" })
	void namesWhereJsonIsWrong(String rules, String words) {
		assertThatExceptionOfType(ContractException.class).isThrownBy(() -> contract(rules))
			.withMessageContaining(words);
	}

	@Test
	void refusesBytesThatAreNoText(@TempDir Path folder) throws Exception {
		refusesBytes(folder, new byte[] { '{', (byte) 0xff, '}' }, "UTF-8");
		refusesBytes(folder, "\uFEFF{}".getBytes(StandardCharsets.UTF_8), "byte order mark");
		refusesBytes(folder, " ".repeat(1_048_577).getBytes(StandardCharsets.UTF_8), "1048576 bytes");
		refusesBytes(folder, new byte[0], "is empty");
		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> Contract.of(folder.resolve("missing"), ContractSettings.DEFAULTS))
			.withMessageContaining("missing");
		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> Contract.of(folder, ContractSettings.DEFAULTS))
			.withMessageContaining("no file");
	}

	private static void refusesBytes(Path folder, byte[] bytes, String words) throws Exception {
		Path file = Files.write(folder.resolve("contract.json"), bytes);
		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> Contract.of(file, ContractSettings.DEFAULTS))
			.withMessageContaining(words);
	}

	@Test
	void refusesSchemasThatNestTooDeep() {
		assertThatNoException().isThrownBy(() -> contract("{'not':".repeat(62) + "{}" + "}".repeat(62)));
		for (int levels : new int[] { 65, 100_000 }) {
			assertThatExceptionOfType(ContractException.class)
				.isThrownBy(() -> contract("{'not':".repeat(levels) + "{}" + "}".repeat(levels)))
				.withMessageContaining("depth");
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "{'$ref':'#'}", "{'allOf':[{'$ref':'#'}]}", "{'anyOf':[{},{'$ref':'#'}]}",
			"{'not':{'$ref':'#'}}", "{'if':{'$ref':'#'}}", "{'dependentSchemas':{'a':{'$ref':'#'}}}",
			"{'$defs':{'a':{'$ref':'#/$defs/b'},'b':{'oneOf':[{'$ref':'#/$defs/a'}]}}}",
			"{'$dynamicAnchor':'a','$dynamicRef':'#a'}", "{'$defs':{'a':{'$dynamicAnchor':'x','$dynamicRef':'#x'}}}",
			"{'x':{'$ref':'#/y'},'y':{'$ref':'#/x'},'$ref':'#/x'}", "{'$id':'https://a.example/b','$ref':'b'}" })
	void refusesCirclesWithoutAStep(String rules) {
		assertThatExceptionOfType(ContractException.class).isThrownBy(() -> contract(rules))
			.withMessageContaining("leads back to itself");
	}

	@Test
	void takesCirclesThatStepIntoTheValue() throws RefusedDocumentException {
		Contract tree = contract("{'properties':{'next':{'$ref':'#'},'all':{'items':{'$ref':'#'}}},'required':['a']}");

		tree.check(utf8("{'a':1,'next':{'a':1,'all':[{'a':1}]}}"));
		assertThat(refusal(tree, "{'a':1,'next':{'a':1,'all':[{}]}}").violations()).extracting(Violation::pointer)
			.containsExactly("/next/all/0/a");
	}

	@Test
	void refusesLongChains() {
		String links = IntStream.range(0, 100)
			.mapToObj((i) -> "'a%d':{'$ref':'#/$defs/a%d'}".formatted(i, i + 1))
			.collect(Collectors.joining(","));

		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> contract("{'$ref':'#/$defs/a0','$defs':{%s,'a100':{}}}".formatted(links)))
			.withMessageContaining("more than 64 schemas");
	}

	@Test
	void refusesTooManySchemas() {
		String many = IntStream.range(0, 60_000).mapToObj((i) -> "{}").collect(Collectors.joining(","));

		assertThatExceptionOfType(ContractException.class).isThrownBy(() -> contract("{'allOf':[%s]}".formatted(many)))
			.withMessageContaining("50000 schemas");
	}

	@Test
	void refusesObjectsWithTooManyRules() {
		String names = IntStream.range(0, 5000).mapToObj((i) -> "'a%d'".formatted(i)).collect(Collectors.joining(","));
		String patterns = IntStream.range(0, 70)
			.mapToObj((i) -> "'a%d':{}".formatted(i))
			.collect(Collectors.joining(","));

		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> contract("{'required':[%s]}".formatted(names)))
			.withMessageContaining("4096 fields");
		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> contract("{'patternProperties':{%s}}".formatted(patterns)))
			.withMessageContaining("64 patterns");
	}

	/** The validator reads a schema again for each way to write its address. */
	@Test
	void refusesManyWaysToWriteOneReference() {
		String much = IntStream.range(0, 5000).mapToObj((i) -> "{}").collect(Collectors.joining(","));
		String references = IntStream.range(0, 64)
			.mapToObj(
					(i) -> "{'$ref':'#/" + Integer.toBinaryString(i + 64).replace("0", "a").replace("1", "%61") + "'}")
			.collect(Collectors.joining(","));

		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> contract(
					"{'aaaaaaa':{'anyOf':[%s]},'properties':{'a':{'oneOf':[%s]}}}".formatted(much, references)))
			.withMessageContaining("100000 schemas");
	}

	@Test
	void refusesPatternsThatAreTooLargeTogether() {
		String patterns = IntStream.range(0, 1000)
			.mapToObj((i) -> "{'pattern':'^(a|%d){1,90}$'}".formatted(i))
			.collect(Collectors.joining(","));

		assertThatExceptionOfType(ContractException.class)
			.isThrownBy(() -> contract("{'allOf':[%s]}".formatted(patterns)))
			.withMessageContaining("all patterns together");
	}

	/** Each would take memory, and a refusal names a hundred. */
	@Test
	void looksForNoMoreFaultsThanItNames() {
		Contract contract = contract("{'properties':{'a':{'items':{'allOf':[{'minimum':2},{'minimum':3}]}}}}");

		assertThat(refusal(contract, "{'a':[" + "1,".repeat(100_000) + "1]}").violations()).hasSize(100);
	}

	/** Thirty levels are 2^30 checks. */
	@ParameterizedTest
	@ValueSource(strings = { "'allOf':[{'$ref':'#/$defs/a%2$d'},{'$ref':'#/$defs/a%2$d'}]",
			"'anyOf':[{'$ref':'#/$defs/a%2$d'},{'$ref':'#/$defs/a%2$d'}]",
			"'properties':{'a':{'allOf':[{'$ref':'#/$defs/a%2$d'},{'$ref':'#/$defs/a%2$d'}]}}" })
	void boundsWhatGrowsExponentially(String level) {
		String levels = IntStream.range(0, 30)
			.mapToObj((i) -> ("'a%1$d':{" + level + "}").formatted(i, i + 1))
			.collect(Collectors.joining(","));
		Contract contract = contract("{'$ref':'#/$defs/a0','$defs':{%s,'a30':{'type':'string'}}}".formatted(levels));

		assertThat(refusal(contract, "{'a':".repeat(30) + "1" + "}".repeat(30)).violations()).isNotEmpty();
	}

	@Test
	void boundsAChildThatIsVisitedTwiceOnEachLevel() {
		Contract contract = contract("{'properties':{'a':{'$ref':'#'}},'additionalProperties':{},"
				+ "'patternProperties':{'^a':{'$ref':'#'}}}");

		assertThat(refusal(contract, "{'a':".repeat(60) + "1" + "}".repeat(60)).violations())
			.allSatisfy((violation) -> assertThat(violation.detail()).contains("more steps"));
	}

	/** The walk knows what the validator would take 2^30 steps for. */
	@Test
	void mergesEqualRulesOnce() throws RefusedDocumentException {
		String levels = IntStream.range(0, 30)
			.mapToObj(
					(i) -> "'a%1$d':{'allOf':[{'$ref':'#/$defs/a%2$d'},{'$ref':'#/$defs/a%2$d'}]}".formatted(i, i + 1))
			.collect(Collectors.joining(","));
		Contract contract = contract(
				"{'properties':{'a':{'$ref':'#/$defs/a0'}},'$defs':{%s,'a30':{'type':'string'}}}".formatted(levels));

		assertThat(contract.isDecided()).isTrue();
		contract.check(utf8("{'a':'x'}"));
	}

	/** The stack of a thread may be 512 KiB. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 6, 28 })
	void takesLittleStack(int links) throws InterruptedException {
		String chain = IntStream.range(0, links)
			.mapToObj((i) -> "'a%1$d':{'allOf':[{'$ref':'#/$defs/a%2$d'}]}".formatted(i, i + 1))
			.collect(Collectors.joining(","));
		Contract contract = contract(
				"{'$ref':'#/$defs/a0','$defs':{%s,'a%d':{'items':{'$ref':'#'},'additionalProperties':{'$ref':'#'}}}}"
					.formatted(chain, links));
		AtomicReference<Throwable> fault = new AtomicReference<>(new AssertionError("not at an end"));
		Thread small = new Thread(null,
				() -> fault.set(check(contract, "{'a':".repeat(32) + "[".repeat(32) + "]".repeat(32) + "}".repeat(32))),
				"small", 512 * 1024);
		small.start();

		assertThat(small.join(Duration.ofSeconds(20))).isTrue();
		assertThat(fault.get()).isInstanceOfAny(RefusedDocumentException.class, IllegalStateException.class);
	}

	private static Throwable check(Contract contract, String document) {
		try {
			contract.check(utf8(document));
			return new IllegalStateException("accepted");
		}
		catch (Throwable ex) {
			return ex;
		}
	}

	private static RefusedDocumentException refusal(Contract contract, String document) {
		return assertThatExceptionOfType(RefusedDocumentException.class)
			.isThrownBy(() -> contract.check(utf8(document)))
			.actual();
	}

	private static Contract contract(String rules) {
		return new Contract(rules.replace('\'', '"'));
	}

	private static byte[] utf8(String document) {
		return document.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
	}

}
