package jobs.contract;

import java.util.HashMap;
import java.util.Map;

/**
 * What an escape of ECMA-262 stands for.
 *
 * @param character the one character, or -1
 * @param characters all characters, but those of a property
 * @param property else the property, as it stands in a class
 */
record EcmaEscape(int character, CodePointSet characters, String property) {

	/** White space and ends of lines, which the libraries know less of. */
	private static final CodePointSet SPACES = CodePointSet.of('\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000,
			0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff);

	private static final CodePointSet DIGITS = CodePointSet.of('0', '9');

	private static final CodePointSet WORD = CodePointSet.of('0', '9', 'A', 'Z', '_', '_', 'a', 'z');

	private static final CodePointSet ASCII = CodePointSet.of(0, 127);

	private static final Map<Integer, Character> CONTROLS = Map.of((int) 't', '\t', (int) 'n', '\n', (int) 'v',
			'\u000b', (int) 'f', '\f', (int) 'r', '\r');

	private static final Map<String, String> CATEGORIES = categories(
			"C Other, Cc Control cntrl, Cf Format, Co Private_Use, Cs Surrogate, L Letter, Ll Lowercase_Letter, "
					+ "Lm Modifier_Letter, Lo Other_Letter, Lt Titlecase_Letter, Lu Uppercase_Letter, M Mark Combining_Mark, "
					+ "Mc Spacing_Mark, Me Enclosing_Mark, Mn Nonspacing_Mark, N Number, Nd Decimal_Number digit, "
					+ "Nl Letter_Number, No Other_Number, P Punctuation punct, Pc Connector_Punctuation, "
					+ "Pd Dash_Punctuation, Pe Close_Punctuation, Pf Final_Punctuation, Pi Initial_Punctuation, "
					+ "Po Other_Punctuation, Ps Open_Punctuation, S Symbol, Sc Currency_Symbol, Sk Modifier_Symbol, "
					+ "Sm Math_Symbol, So Other_Symbol, Z Separator, Zl Line_Separator, Zp Paragraph_Separator, "
					+ "Zs Space_Separator");

	static EcmaEscape of(int character) {
		return new EcmaEscape(character, CodePointSet.of(character, character), "");
	}

	private static EcmaEscape in(CodePointSet characters) {
		return new EcmaEscape(-1, characters, "");
	}

	/** Reads what follows a backslash. */
	static EcmaEscape read(CodePoints source, boolean isForJava) {
		int c = source.hasNext() ? source.next() : -1;
		return switch (c) {
			case 'd' -> in(DIGITS);
			case 'D' -> in(DIGITS.complement());
			case 'w' -> in(WORD);
			case 'W' -> in(WORD.complement());
			case 's' -> in(SPACES);
			case 'S' -> in(SPACES.complement());
			case 'p', 'P' -> property(c, source, isForJava);
			case 'c' -> control(source);
			case 'x' -> of(source.hexadecimal(2));
			case 'u' -> of(codePoint(source));
			case '0' -> zero(source);
			default -> other(c, source);
		};
	}

	private static EcmaEscape other(int c, CodePoints source) {
		Character control = CONTROLS.get(c);
		if (control != null) {
			return of(control);
		}
		if (c < 0 || (c < 128 && (Character.isLetterOrDigit(c)))) {
			throw source.fault("has no such escape in ECMA-262");
		}
		return of(c);
	}

	private static EcmaEscape zero(CodePoints source) {
		if (source.isAtDigit('0')) {
			throw source.fault("has an octal escape");
		}
		return of(0);
	}

	private static EcmaEscape control(CodePoints source) {
		int letter = source.hasNext() ? source.next() : 0;
		if (letter > 127 || !Character.isLetter(letter)) {
			throw source.fault("has a control character without a letter");
		}
		return of(letter % 32);
	}

	private static int codePoint(CodePoints source) {
		if (source.take('{')) {
			String digits = source.name('}');
			if (!digits.matches("0*[0-9a-fA-F]{1,6}") || Integer.parseInt(digits, 16) > Character.MAX_CODE_POINT) {
				throw source.fault("has a code point that is none");
			}
			return Integer.parseInt(digits, 16);
		}
		int unit = source.hexadecimal(4);
		if (Character.isHighSurrogate((char) unit) && source.isAt("\\u") && !source.isAt("\\u{")) {
			source.take(2);
			int low = source.hexadecimal(4);
			if (!Character.isLowSurrogate((char) low)) {
				throw source.fault("has half of a surrogate pair");
			}
			return Character.toCodePoint((char) unit, (char) low);
		}
		return unit;
	}

	private static EcmaEscape property(int letter, CodePoints source, boolean isForJava) {
		if (!source.take('{')) {
			throw source.fault("has a property without braces");
		}
		String name = source.name('}');
		String value = name.substring(name.indexOf('=') + 1);
		if (name.matches("(Script|sc)=[A-Z][A-Za-z_]+")) {
			return property(letter, (isForJava ? "Is" : "") + value);
		}
		String category = CATEGORIES.get(value);
		if (name.equals("ASCII")) {
			return in((letter == 'p') ? ASCII : ASCII.complement());
		}
		if (category == null || !name.matches("((General_Category|gc)=)?[A-Za-z_]+")) {
			throw source.fault("has no such property as \"" + name + "\" here");
		}
		return property(letter, category);
	}

	private static EcmaEscape property(int letter, String name) {
		return new EcmaEscape(-1, CodePointSet.of(), "\\" + (char) letter + "{" + name + "}");
	}

	/** Writes a character so that it means nothing else to a library. */
	static void literal(int c, StringBuilder target) {
		if (c < 128 && Character.isLetterOrDigit(c)) {
			target.append((char) c);
		}
		else {
			target.append("\\x{").append(Integer.toHexString(c)).append('}');
		}
	}

	private static Map<String, String> categories(String all) {
		Map<String, String> names = new HashMap<>();
		for (String one : all.split(", ")) {
			for (String name : one.split(" ")) {
				names.put(name, one.substring(0, one.indexOf(' ')));
			}
		}
		return names;
	}

}
