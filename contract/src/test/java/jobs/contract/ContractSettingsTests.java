package jobs.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class ContractSettingsTests {

	@TempDir
	@SuppressWarnings("NullAway.Init")
	private Path folder;

	@Test
	void assertFormatsOrNot() throws IOException {
		String rules = "{'properties':{'a':{'format':'date'},'b':{'oneOf':[{'format':'date'}]}}}";

		refuses(rules, ContractSettings.DEFAULTS, "{'a':'yesterday'}", "/a");
		refuses(rules, ContractSettings.DEFAULTS, "{'b':'yesterday'}", "/b");
		accepts(rules, new ContractSettings(false, false, false), "{'a':'yesterday','b':'yesterday'}");
	}

	@Test
	void takeTheRiskOfPatternsThatGoBack() throws IOException {
		String rules = "{'properties':{'a':{'pattern':'^(?=b)'}}}";
		ContractSettings risky = new ContractSettings(true, true, false);

		refuses(rules, risky, "{'a':'a'}", "/a");
		accepts(rules, risky, "{'a':'b'}");
	}

	@Test
	void leaveTheIdToTheDocument() throws IOException {
		ContractSettings own = new ContractSettings(true, false, true);

		refuses("{}", ContractSettings.DEFAULTS, "{'id':'a'}", "/id");
		accepts("{}", own, "{'id':'a'}");
		refuses("{'properties':{'id':{'type':'string'}}}", own, "{'id':7}", "/id");
		refuses("{}", own, "{'_id':'a'}", "/_id");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "{'properties':{'a':{'minlength':1}}} | /properties/a/minlength | \"minLength\" would",
					"{'format':'phone'} | /format | phone", "{'definitions':{}} | /definitions | definitions",
					"{'dependencies':{}} | /dependencies | dependencies",
					"{'contentMediaType':'text/html'} | /contentMediaType | contentMediaType",
					"{'then':{}} | /then | without \"if\"", "{'minContains':1} | /minContains | without \"contains\"",
					"{'nullable':true} | /nullable | nullable", "{'a/b':1} | /a~1b | a/b" })
	void warnOfKeywordsThatRefuseNothing(String rules, String pointer, String words) throws IOException {
		assertThat(contract(rules, ContractSettings.DEFAULTS).warnings()).singleElement()
			.asString()
			.contains("contract.json", "\"" + pointer + "\"", words);
	}

	@Test
	void warnOfNothingElse() throws IOException {
		assertThat(contract("{'$schema':'https://json-schema.org/draft/2020-12/schema','title':'a','description':'b',"
				+ "'default':{},'examples':[{}],'deprecated':true,'readOnly':true,'writeOnly':false,'$comment':'c','x-a':1,"
				+ "'properties':{'minlength':{'format':'date'}},'if':{},'then':{},'const':{'minlength':1}}",
				ContractSettings.DEFAULTS)
			.warnings()).isEmpty();
		assertThat(Contract.load().warnings()).isEmpty();
	}

	private void accepts(String rules, ContractSettings settings, String document) throws IOException {
		Contract contract = contract(rules, settings);

		assertThatNoException().isThrownBy(() -> contract.check(utf8(document)));
	}

	private void refuses(String rules, ContractSettings settings, String document, String pointer) throws IOException {
		Contract contract = contract(rules, settings);

		assertThat(assertThatExceptionOfType(RefusedDocumentException.class)
			.isThrownBy(() -> contract.check(utf8(document)))
			.actual()
			.violations()).extracting(Violation::pointer).contains(pointer);
	}

	private Contract contract(String rules, ContractSettings settings) throws IOException {
		return Contract.of(Files.write(this.folder.resolve("contract.json"), utf8(rules)), settings);
	}

	private static byte[] utf8(String text) {
		return text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
	}

}
