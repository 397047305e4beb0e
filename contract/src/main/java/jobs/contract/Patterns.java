package jobs.contract;

import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

import com.networknt.schema.regex.RegularExpression;
import com.networknt.schema.regex.RegularExpressionFactory;
import jobs.contract.EcmaPattern.Translation;

/**
 * Compiles the patterns of a contract, each once: the validator and the walk match with
 * the same.
 * <p>
 * RE2/J takes linear time. {@code java.util.regex} is faster where a pattern is so plain
 * that it can't go back either.
 */
final class Patterns implements RegularExpressionFactory {

	/**
	 * The largest program. RE2/J calls itself so often, and takes so many steps a
	 * character. It also counts no further.
	 */
	private static final int MAX_SIZE = 1000;

	/** The largest size of all programs, as they take memory. */
	private static final int MAX_SIZE_OF_ALL = 200_000;

	private final AtomicLong size = new AtomicLong();

	private final Map<String, RegularExpression> compiled = new ConcurrentHashMap<>();

	private final boolean mayBacktrack;

	Patterns(boolean mayBacktrack) {
		this.mayBacktrack = mayBacktrack;
	}

	/** Throws IllegalArgumentException, with a reason in a few words. */
	@Override
	public RegularExpression getRegularExpression(String regex) {
		return this.compiled.computeIfAbsent(regex, this::compile);
	}

	private RegularExpression compile(String regex) {
		Translation translation = EcmaPattern.translate(regex, false);
		if (translation.characters() != null) {
			int[] bounds = translation.characters();
			return (value) -> hasOneOf(value, bounds);
		}
		if (translation.isPlain()) {
			return java(regex);
		}
		try {
			if (translation.backtracking() != null) {
				throw new IllegalArgumentException("it " + translation.backtracking());
			}
			if (translation.size() > MAX_SIZE) {
				throw new IllegalArgumentException("it counts to more than " + MAX_SIZE + " steps");
			}
			if (this.size.addAndGet(translation.size() + translation.text().length()) > MAX_SIZE_OF_ALL) {
				throw new IllegalArgumentException(
						"all patterns together count to more than " + MAX_SIZE_OF_ALL + " steps");
			}
			com.google.re2j.Pattern pattern = com.google.re2j.Pattern.compile(translation.text());
			return (value) -> pattern.matcher(value).find();
		}
		catch (com.google.re2j.PatternSyntaxException | IllegalArgumentException ex) {
			if (this.mayBacktrack) {
				return java(regex);
			}
			throw new IllegalArgumentException("RE2/J, which takes linear time, can't compile it: " + ex.getMessage(),
					ex);
		}
	}

	private static RegularExpression java(String regex) {
		Pattern pattern = Pattern.compile(EcmaPattern.translate(regex, true).text());
		return (value) -> pattern.matcher(value).find();
	}

	/** Whether a character is within one of some ranges, which stand in order. */
	private static boolean hasOneOf(String value, int[] bounds) {
		for (int i = 0; i < value.length(); i++) {
			int c = value.codePointAt(i);
			int at = Arrays.binarySearch(bounds, c);
			if (at >= 0 || (-at - 1) % 2 == 1) {
				return true;
			}
			i += Character.charCount(c) - 1;
		}
		return false;
	}

}
