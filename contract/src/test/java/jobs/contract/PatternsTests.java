package jobs.contract;

import com.networknt.schema.regex.RegularExpression;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/** Patterns mean what ECMA-262 says, whichever library runs them. */
class PatternsTests {

	private static final String TITLE = "[^\\s\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]";

	private final Patterns patterns = new Patterns(false);

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', delimiterString = " ~ ",
			value = { "b ~ abc", "^a ~ ab", "c$ ~ abc", "a.c ~ a\ud83d\ude00c", "\\u0061 ~ a", "\\u{61} ~ a",
					"\\u{1f600} ~ \ud83d\ude00", "\\ud83d\\ude00$ ~ \ud83d\ude00", "^\\cJ$ ~ `\n`", "^\\s$ ~ \ufeff",
					"^[\\s]$ ~ `\u2003`", "^\\S$ ~ a", "^[^\\S]$ ~ `\u00a0`", "^\\d$ ~ 7", "^[\\D]$ ~ \u0667",
					"^\\w$ ~ _", "^\\W$ ~ \u00e9", "^\\p{Letter}$ ~ \u00e9", "^\\p{Lu}$ ~ A", "^\\P{Lu}$ ~ a",
					"^[\\p{Nd}x]$ ~ \u0667", "^\\p{Script=Greek}$ ~ \u03b1", "^\\p{gc=Decimal_Number}$ ~ 7",
					"^a\\/b\\-c$ ~ a/b-c", "^[\\b]$ ~ `\b`", "^\\x41$ ~ A", "^\\0$ ~ `\0`", "^(a|b)+?c$ ~ abac",
					"^(?:ab){2}$ ~ abab", "^a{2,}$ ~ aaa", "^(?<x>a)b$ ~ ab", "^[^]$ ~ `\n`", "^[a\\-z]$ ~ -",
					"^[\\d-x]$ ~ -", "^a{,2}$ ~ `a{,2}`", "^x{b$ ~ x{b", "^]$ ~ ]", "^\\(\\)\\[\\]$ ~ ()[]",
					"\\bb\\b ~ a b c", "^(?:)$ ~ ``", "^[&&a]$ ~ &", "^[[:alpha:]$ ~ :", "^[ab]{0,1500}$ ~ ab",
					"^\ud83d\udc32*$ ~ \ud83d\udc32\ud83d\udc32" })
	void match(String pattern, String value) {
		assertThat(compile(pattern).matches(value)).isTrue();
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', delimiterString = " ~ ",
			value = { "^abc$ ~ `abc\n`", "^b ~ `a\nb`", "a.c ~ `a\nc`", "a.c ~ `a\u2028c`", "^\\s$ ~ `\u200b`",
					"^\\S$ ~ `\u2003`", "^[^\\s]$ ~ \ufeff", "^\\d$ ~ \u0667", "^\\w$ ~ \u00e9", "^\\W$ ~ _",
					"^\\p{L}$ ~ 7", "[] ~ a", "^a{2}$ ~ aaa", "^[^a-c]$ ~ b", "^(?:ab){2}$ ~ aba", "^a{3}$ ~ aaaa",
					"\\Bb ~ a b" })
	void doNotMatch(String pattern, String value) {
		assertThat(compile(pattern).matches(value)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b", "(a)\\1", "(?<x>a)\\k<x>", "(?:a{0,100}){0,100}b" })
	void refuseWhatIsNotLinear(String pattern) {
		assertThatIllegalArgumentException().isThrownBy(() -> compile(pattern)).withMessageContaining("RE2/J");
	}

	@ParameterizedTest
	@CsvSource({ "a(?=b), ab, ac", "a(?!b), ac, ab", "(?<=a)b, ab, cb", "^(a|b)\\1$, bb, ba",
			"^(?<x>a|b)\\k<x>$, bb, ba", "^\\p{Script=Greek}(?=b), \u03b1b, ab" })
	void takeTheRiskWhereTheyMay(String pattern, String right, String wrong) {
		RegularExpression risky = new Patterns(true).getRegularExpression(pattern);

		assertThat(risky.matches(right)).isTrue();
		assertThat(risky.matches(wrong)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "(", ")", "[a", "a**", "*a", "a{2,1}", "\\", "\\a", "\\A", "\\p{Nothing}", "\\pL", "\\u12",
			"\\u{110000}", "\\x1", "\\c1", "\\01", "(?i)a", "(?P<x>a)", "(?#a)", "[b-a]", "[a]b]*+", "\\k<x>", "(?<x",
			"a{2}{3}", "a++" })
	void refuseWhatIsNoPattern(String pattern) {
		assertThatIllegalArgumentException().isThrownBy(() -> new Patterns(true).getRegularExpression(pattern));
	}

	@Test
	void refuseGroupsWithoutEnd() {
		assertThatIllegalArgumentException().isThrownBy(() -> compile("(".repeat(100_000)))
			.withMessageContaining("nests deeper");
	}

	/** java.util.regex needs years for the first, and its stack for the last. */
	@ParameterizedTest
	@ValueSource(strings = { "^(a+)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "^(a|aa)+$", "(.|\\s)*!$",
			"^(?:a?){150}$" })
	void takeLinearTimeAndLittleStack(String pattern) throws InterruptedException {
		RegularExpression linear = compile(pattern);
		String value = "a".repeat(20_000) + "?";
		boolean[] isDone = { false };
		Thread small = new Thread(null, () -> isDone[0] = !linear.matches(value), "small", 256 * 1024);
		small.start();
		small.join(20_000);

		assertThat(isDone[0]).isTrue();
	}

	@Test
	void findBlankTitlesAsBefore() {
		RegularExpression title = compile(TITLE);
		RegularExpression before = com.networknt.schema.regex.JDKRegularExpressionFactory.getInstance()
			.getRegularExpression(TITLE);

		for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
			String value = Character.toString(c);
			assertThat(title.matches(value)).as("U+%04X", c).isEqualTo(before.matches(value));
		}
		assertThat(title.matches("")).isFalse();
		assertThat(title.matches(" \t a")).isTrue();
	}

	private RegularExpression compile(String pattern) {
		return this.patterns.getRegularExpression(pattern);
	}

}
