package jobs.contract.resources;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;

import jobs.contract.Contract;
import jobs.contract.RefusedDocumentException;
import jobs.contract.Violation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** A resource says in which fields its documents have id, version and time to go. */
class KeyFieldsTests {

	private static final String CONTRACT = """
			{"type":"object","required":["number","revision","changed","head","tag"],"properties":{
			 "number":{"type":"string"},"revision":{"type":"integer"},"changed":{"type":"string","format":"date-time"},
			 "head":{"type":"object","required":["id","at"],"properties":{"id":{"type":"integer"},"at":{"$ref":"#/$defs/at"}}},
			 "loose":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"}}},
			 "tag":{"type":["string","integer"]},"amount":{"type":"number"},"until":{"type":["string","null"]}},
			 "$defs":{"at":{"type":"string"}}}""";

	private static final String REST = ",\"changed\":\"2026-01-01T00:00:00Z\",\"head\":{\"id\":1,\"at\":\"x\"},\"tag\":1";

	@TempDir
	private Path folder;

	@Test
	void hasNoneWhereTheFileNamesNone() throws IOException {
		Resource resource = read("");

		assertThat(resource.keys()).isEqualTo(KeyFields.NONE);
		assertThat(resource.hasVersions()).isFalse();
		assertThat(resource.sha256()).isNotEqualTo(read("id: /number").sha256());
		assertThat(read("id: /number").sha256()).isNotEqualTo(read("id: /number\n    version: /revision").sha256());
	}

	@Test
	void takesFieldsWithinObjects() throws IOException {
		Resource resource = read("id: /head/id\n    version: /head/at\n    expires: /until");

		assertThat(resource.keys()).isEqualTo(new KeyFields("/head/id", "/head/at", "/until"));
		assertThat(resource.hasVersions()).isTrue();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '`',
			value = { "id: number|'number' is no JSON Pointer", "id: /missing|does not require /missing",
					"id: /loose/id|does not require /loose/id", "id: /until|does not require /until",
					"id: /tag|it must be of the type integer or string alone", "id: /head|lets /head be object",
					"version: /revision|it needs an 'id'", "id: /number%version: /amount|does not require /amount",
					"id: /number%version: /head|lets /head be object",
					"id: /number%expires: /revision|lets /revision be something else" })
	void refusesFieldsThatTheContractDoesNotPromise(String keys, String reason) {
		assertThatExceptionOfType(ResourcesException.class).isThrownBy(() -> read(keys.replace("%", "\n    ")))
			.withMessageContaining(reason)
			.withMessageMatching("(?s).*resources.yaml, line \\d+, column \\d+: resource 'orders', .*");
	}

	@Test
	void refusesAnIdOfTheJobsThatTheyCannotHave() throws IOException {
		Files.writeString(this.folder.resolve("order.schema.json"), CONTRACT);
		Path file = Files.writeString(this.folder.resolve("resources.yaml"), """
				resources:
				  jobs:
				    contract: order.schema.json
				    id: /id
				""");

		assertThatExceptionOfType(ResourcesException.class).isThrownBy(
				() -> Resources.read(file, new ResourceSettings(Map.<String, String>of()::get, (key) -> null, "256KB")))
			.withMessageContaining("jobs have no field id of their own");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "A-1|1", "ä \uD83D\uDE00|-9223372036854775808", "/|9223372036854775807",
			"1|1.0", "x|1e3", ".|-0" })
	void readsIdAndVersion(String number, String revision) throws Exception {
		KeyReader keys = keys(new KeyFields("/number", "/revision", null),
				"{\"number\":\"%s\",\"revision\":%s%s}".formatted(number, revision, REST));

		assertThat(keys.id()).isEqualTo(number);
		assertThat(keys.version()).isEqualTo(new java.math.BigDecimal(revision).longValueExact());
		assertThat(keys.expiresAt()).isNull();
	}

	@Test
	void readsOnlyTheFieldAtItsPlace() throws Exception {
		KeyReader keys = keys(new KeyFields("/head/id", "/revision", null),
				"{\"ids\":8,\"loose\":{\"head\":{\"id\":9},\"id\":7,\"revision\":6},\"list\":[{\"head\":{\"id\":5}},{\"revision\":3}],"
						+ "\"head\":{\"at\":\"x\",\"deep\":{\"id\":4},\"id\":1},\"number\":\"n\",\"revision\":2,"
						+ "\"changed\":\"2026-01-01T00:00:00Z\",\"tag\":1,\"last\":{\"id\":0}}");

		assertThat(keys.id()).isEqualTo("1");
		assertThat(keys.version()).isEqualTo(2);
	}

	@ParameterizedTest
	@CsvSource({ "1970-01-01T00:00:01Z,1000", "1970-01-01t01:00:00.123456789123+01:00,123",
			"1969-12-31T23:59:59.999Z,-1", "2016-12-31T23:59:60Z,1483228800000",
			"2026-11-28T12:00:00.0019-00:30,1795869000001" })
	void readsADateTimeToTheMillisecond(String changed, long millis) throws Exception {
		KeyReader keys = keys(new KeyFields("/number", "/changed", "/until"),
				("{\"number\":\"n\",\"revision\":1,\"changed\":\"%1$s\",\"until\":\"%1$s\",\"head\":{\"id\":1,\"at\":\"x\"},"
						+ "\"tag\":1}")
					.formatted(changed));

		assertThat(keys.version()).isEqualTo(millis);
		assertThat(keys.expiresAt()).isEqualTo(millis);
		assertThat(Versions.parse(changed)).isEqualTo(millis);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', value = { "''|1|/number", "a|9223372036854775808.0|/revision", "a|1e99|/revision" })
	void refusesAnIdOrVersionThatCanBeNone(String number, String revision, String pointer) throws Exception {
		KeyReader keys = keys(new KeyFields("/number", "/revision", null),
				"{\"number\":\"%s\",\"revision\":%s%s}".formatted(number, revision, REST));

		assertThatExceptionOfType(RefusedDocumentException.class).isThrownBy(() -> {
			keys.id();
			keys.version();
		}).satisfies((ex) -> assertThat(ex.violations()).extracting(Violation::pointer).containsExactly(pointer));
	}

	@Test
	void refusesALongId() throws Exception {
		KeyFields fields = new KeyFields("/number", "/head/at", null);
		String document = "{\"number\":\"%s\",\"revision\":1" + REST + "}";

		assertThat(keys(fields, document.formatted("n".repeat(512))).id()).hasSize(512);
		assertThatExceptionOfType(RefusedDocumentException.class)
			.isThrownBy(() -> keys(fields, document.formatted("n".repeat(513))).id());
		assertThatExceptionOfType(RefusedDocumentException.class)
			.isThrownBy(() -> keys(fields, document.formatted("n")).version())
			.satisfies((ex) -> assertThat(ex.violations().getFirst().detail()).contains("is no date-time"));
	}

	private static KeyReader keys(KeyFields fields, String document) throws RefusedDocumentException {
		Contract contract = new Contract(CONTRACT);
		KeyReader keys = fields.reader();
		contract.read(document.getBytes(StandardCharsets.UTF_8), keys);
		// a name that the quick way does not know: all is read once more, by the other
		// one
		KeyReader again = fields.reader();
		contract.read(document.replace("\"head\":{", "\"head\":{\"ä\":0,").getBytes(StandardCharsets.UTF_8), again);
		assertThat(told(again::id)).isEqualTo(told(keys::id));
		assertThat(told(again::version)).isEqualTo(told(keys::version));
		assertThat(told(again::expiresAt)).isEqualTo(told(keys::expiresAt));
		return keys;
	}

	private static String told(Callable<@Nullable Object> key) {
		try {
			return String.valueOf(key.call());
		}
		catch (Exception ex) {
			return ex.toString();
		}
	}

	private Resource read(String keys) throws IOException {
		Files.writeString(this.folder.resolve("order.schema.json"), CONTRACT);
		Path file = Files.writeString(this.folder.resolve("resources.yaml"), """
				resources:
				  orders:
				    contract: order.schema.json
				    %s
				""".formatted(keys));
		return Resources.read(file, new ResourceSettings(Map.<String, String>of()::get, (key) -> null, "256KB"))
			.all()
			.getFirst();
	}

}
