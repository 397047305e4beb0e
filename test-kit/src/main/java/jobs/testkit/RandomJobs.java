package jobs.testkit;

import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Jobs made by chance, as odd as JSON allows, and texts that are almost jobs. The same
 * seed makes the same.
 * <p>
 * The system property {@code seed} makes others, and {@code cases} makes more.
 */
public final class RandomJobs {

	private static final int MAX_DEPTH = 64;

	private static final int MAX_SIZE = 256 * 1024;

	private static final String[] NUMBERS = { "0", "-0", "0.0", "-0.0", "-0e0", "0E-99", "-0e9999", "1", "-1", "1.0",
			"1e0", "1E+2", "1e007", "10.00", "0.1", "2147483647", "2147483648", "-2147483648", "-2147483649",
			"9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993", "9007199254740993.0",
			"9223372036854775807", "-9223372036854775808", "1.7976931348623157e308", "1.7976931348623158e308",
			"1.7976931348623159e308", "4.9e-324", "5e-324", "2.4e-324", "2.2250738585072014E-308",
			"2.225073858507201e-308", "9.999999999999999999999999999999999E6144", "1E-6176", "-1E6144",
			"1234567890123456789012345678901234e-6176", "0.1000000000000000055511151231257827" };

	private static final String[] NO_NUMBERS = { "9223372036854775808", "-9223372036854775809",
			"12345678901234567890123456789012345e1", "1e6145", "1e-6177", "10e-6177", "0.0e-6200", "1e2147483647",
			"1e2147483648", "1e-2147483647", "1e-2147483648", "1e99999999999", "0e99999999999", "-0e-2147483648", "01",
			"-01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "NaN", "-Infinity", "1_0", "--1", "tru", "nulll", "'a'",
			"undefined", "" };

	private static final String[] NO_STRINGS = { "\\ud800", "\\uDC00", "\\udc00\\ud800", "\\ud83d\\u0041", "\\x",
			"\\u12", "\\u00g0", "\\U0041", "\\", "\"", "\u0001", "\t", "\u0000" };

	private static final String[] NO_NAMES = { "$", "$a", ".", "a.b", "a\0", "_id", "_x", "id", "title", "" };

	private static final String SIGNS = "{}[],:\"\\0-.eE+ \t\ru/";

	private static final byte[][] FRAGMENTS = fragments();

	private static final Charset[] CHARSETS = { StandardCharsets.UTF_16, StandardCharsets.UTF_16LE,
			StandardCharsets.UTF_16BE, StandardCharsets.UTF_32, StandardCharsets.UTF_32LE, StandardCharsets.UTF_32BE,
			StandardCharsets.ISO_8859_1 };

	private final Random random;

	private final StringBuilder json = new StringBuilder();

	private boolean faulty;

	public RandomJobs(long seed) {
		this.random = new Random(seed);
	}

	/**
	 * The seed of this run, from which each case has its own by counting on.
	 * @return the system property {@code seed}, else 42, so that a build that passed
	 * passes again
	 */
	public static long seed() {
		return Long.getLong("seed", 42);
	}

	/**
	 * How many cases to try.
	 * @param normally where nothing else is asked for
	 * @return the system property {@code cases}, else {@code normally}
	 */
	public static int cases(int normally) {
		return Integer.getInteger("cases", normally);
	}

	/**
	 * A job that is to be accepted, in a single line.
	 * @return its text and what that stands for
	 */
	public Job job() {
		this.faulty = false;
		return write();
	}

	/**
	 * A text that is a job or would be one but for a fault or two.
	 * @return its bytes, without a line feed
	 */
	public byte[] almostAJob() {
		this.faulty = true;
		byte[] bytes = write().json().getBytes(StandardCharsets.UTF_8);
		for (int i = this.random.nextInt(3); i > 0; i--) {
			bytes = mutate(bytes);
		}
		for (int i = 0; i < bytes.length; i++) {
			bytes[i] = (bytes[i] == '\n') ? (byte) ' ' : bytes[i];
		}
		return bytes;
	}

	private Job write() {
		this.json.setLength(0);
		space();
		Fields fields = object(1, this::topLevelNames);
		space();
		if (!this.faulty && chance(100)) {
			int size = this.json.toString().getBytes(StandardCharsets.UTF_8).length;
			this.json.append(" ".repeat(Math.max(0, MAX_SIZE - size)));
		}
		return new Job(this.json.toString(), fields);
	}

	private List<String> topLevelNames() {
		List<String> names = names(1, this.random.nextInt(6));
		names.add("title");
		for (String known : List.of("description", "company", "salary")) {
			if (chance(4)) {
				names.add(known);
			}
		}
		Collections.shuffle(names, this.random);
		return names;
	}

	private List<String> names(int depth, int size) {
		Set<String> known = new HashSet<>(Set.of("title", "description", "company", "salary"));
		List<String> names = new ArrayList<>();
		for (int i = 0; i < size; i++) {
			String name = text(chance(100) ? 2000 : 8).replace("\0", "").replace(".", "").replaceFirst("^\\$+", "");
			if (depth == 1 && (name.startsWith("_") || name.equals("id"))) {
				name = "x" + name;
			}
			if (known.add(name)) {
				names.add(name);
			}
		}
		if (this.faulty && chance(12)) {
			names.add(chance(2) ? any(NO_NAMES) : names.isEmpty() ? "twice" : names.getFirst());
		}
		return names;
	}

	private Fields object(int depth, Supplier<List<String>> names) {
		List<Field> fields = new ArrayList<>();
		this.json.append('{');
		for (String name : names.get()) {
			this.json.append(fields.isEmpty() ? "" : ",");
			space();
			string(name);
			space();
			this.json.append(':');
			space();
			fields.add(new Field(name, fieldValue(depth, name)));
			space();
		}
		this.json.append('}');
		return new Fields(fields);
	}

	private @Nullable Object fieldValue(int depth, String name) {
		boolean known = depth == 1 && Set.of("title", "description", "company", "salary").contains(name);
		if (!known || (this.faulty && chance(20))) {
			return value(depth);
		}
		return string(name.equals("title") ? "x" + text(20) : text(20));
	}

	private @Nullable Object value(int depth) {
		int kind = this.random.nextInt(20);
		if (kind == 0 && depth < MAX_DEPTH) {
			return deep(depth, this.random.nextInt(4) - (this.faulty ? 1 : 3));
		}
		if (kind < 4 && depth < MAX_DEPTH) {
			return object(depth + 1, () -> names(depth + 1, this.random.nextInt(5)));
		}
		if (kind < 7 && depth < MAX_DEPTH) {
			return array(depth + 1, chance(200) ? 2000 / depth : this.random.nextInt(5));
		}
		if (kind < 10) {
			return literal(kind);
		}
		return (kind < 14) ? string(text(chance(300) ? 16_000 : 30)) : number();
	}

	/**
	 * A value that reaches the deepest level, or so many levels beyond it.
	 */
	private @Nullable Object deep(int depth, int beyond) {
		if (depth >= MAX_DEPTH + beyond) {
			return literal(7);
		}
		if (chance(2)) {
			this.json.append('[');
			List<@Nullable Object> values = new ArrayList<>();
			values.add(deep(depth + 1, beyond));
			this.json.append(']');
			return values;
		}
		this.json.append("{\"d\":");
		Fields fields = new Fields(List.of(new Field("d", deep(depth + 1, beyond))));
		this.json.append('}');
		return fields;
	}

	private List<@Nullable Object> array(int depth, int size) {
		List<@Nullable Object> values = new ArrayList<>();
		this.json.append('[');
		for (int i = 0; i < size; i++) {
			this.json.append((i > 0) ? "," : "");
			space();
			values.add((size > 100) ? literal(7 + i % 3) : value(depth));
			space();
		}
		this.json.append(']');
		return values;
	}

	private @Nullable Object literal(int kind) {
		Boolean value = (kind == 7) ? null : kind == 8;
		this.json.append(value);
		return value;
	}

	private Object number() {
		String number = (this.faulty && chance(10)) ? any(NO_NUMBERS) : switch (this.random.nextInt(5)) {
			case 0 -> any(NUMBERS);
			case 1 -> Long.toString(this.random.nextLong() >> this.random.nextInt(64));
			case 2 -> finite(Double.longBitsToDouble(this.random.nextLong()));
			case 3 -> Double.toString(this.random.nextInt(100_000) / 100.0);
			default -> decimal();
		};
		this.json.append(number);
		return this.faulty ? number : value(number);
	}

	private static Object value(String number) {
		BigDecimal value = new BigDecimal(number);
		return (value.signum() == 0 && number.startsWith("-")) ? (Object) (-0.0) : value.stripTrailingZeros();
	}

	private static String finite(double value) {
		return Double.isFinite(value) ? Double.toString(value) : "0";
	}

	/**
	 * Up to 34 digits, with an exponent that Decimal128 has, or a little beyond both.
	 */
	private String decimal() {
		StringBuilder digits = new StringBuilder().append(1 + this.random.nextInt(9));
		int precision = 1 + this.random.nextInt(this.faulty ? 36 : 34);
		boolean round = chance(3);
		while (digits.length() < precision) {
			digits.append((round && digits.length() > precision / 2) ? 0 : this.random.nextInt(10));
		}
		int excess = this.faulty ? 5 : 0;
		int exponent = switch (this.random.nextInt(4)) {
			case 0 -> -6176 + this.random.nextInt(50) - this.random.nextInt(excess + 1);
			case 1 -> 6145 - precision - this.random.nextInt(50) + this.random.nextInt(excess + 1);
			default -> this.random.nextInt(80) - 40;
		};
		String sign = chance(3) ? "-" : "";
		if (exponent < 0 && -exponent < precision) {
			return sign + digits.insert(precision + exponent, '.');
		}
		return sign + digits.charAt(0) + ((precision > 1) ? "." + digits.substring(1) : "") + (chance(2) ? "e" : "E")
				+ ((exponent + precision - 1 >= 0 && chance(2)) ? "+" : "") + (exponent + precision - 1);
	}

	private String text(int length) {
		StringBuilder text = new StringBuilder();
		for (int i = this.random.nextInt(length + 1); i > 0; i--) {
			text.appendCodePoint(codePoint());
		}
		return text.toString();
	}

	private int codePoint() {
		return switch (this.random.nextInt(8)) {
			case 0 -> this.random.nextInt(0x20);
			case 1 -> any(new Integer[] { (int) '"', (int) '\\', (int) '/', 0x7f, 0x85, 0xa0, 0x2028, 0x2029, 0xd7ff,
					0xe000, 0xfeff, 0xfffd, 0xfffe, 0xffff, 0x10000, 0x10ffff });
			case 2 -> 0x80 + this.random.nextInt(0x780);
			case 3 -> noSurrogate(0x800 + this.random.nextInt(0xf800));
			case 4 -> 0x10000 + this.random.nextInt(0x100000);
			default -> 0x20 + this.random.nextInt(0x5f);
		};
	}

	private static int noSurrogate(int codePoint) {
		return (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE) ? 0xfffd : codePoint;
	}

	private String string(String text) {
		this.json.append('"');
		text.codePoints().forEach(this::character);
		if (this.faulty && chance(40)) {
			this.json.append(any(NO_STRINGS));
		}
		this.json.append('"');
		return text;
	}

	private void character(int codePoint) {
		int known = "\"\\/\b\f\n\r\t".indexOf(codePoint);
		if (known >= 0 && chance(2)) {
			this.json.append('\\').append("\"\\/bfnrt".charAt(known));
		}
		else if (chance(5) || codePoint < 0x20 || codePoint == '"' || codePoint == '\\') {
			for (char unit : Character.toChars(codePoint)) {
				this.json.append(String.format(chance(2) ? "\\u%04x" : "\\u%04X", (int) unit));
			}
		}
		else {
			this.json.appendCodePoint(codePoint);
		}
	}

	private void space() {
		while (chance(6)) {
			this.json.append(" \t\r".charAt(this.random.nextInt(3)));
		}
	}

	private byte[] mutate(byte[] bytes) {
		int at = this.random.nextInt(bytes.length + 1);
		int next = Math.min(at + 1, bytes.length);
		return switch (this.random.nextInt(9)) {
			case 0 -> splice(bytes, at, next, (byte) ((at < next) ? bytes[at] ^ (1 << this.random.nextInt(8)) : 0));
			case 1 -> splice(bytes, at, next);
			case 2 -> splice(bytes, at, at, Arrays.copyOfRange(bytes, at, next));
			case 3 -> splice(bytes, at, at,
					Arrays.copyOfRange(bytes, at, Math.min(at + this.random.nextInt(20), bytes.length)));
			case 4 -> splice(bytes, at, at, (byte) this.random.nextInt(256));
			case 5 -> splice(bytes, at, at, (byte) SIGNS.charAt(this.random.nextInt(SIGNS.length())));
			case 6 -> splice(bytes, at, at, any(FRAGMENTS));
			case 7 -> chance(3) ? splice(bytes, at, bytes.length) : splice(bytes, 0, 0, any(FRAGMENTS));
			default -> chance(3) ? new String(bytes, StandardCharsets.UTF_8).getBytes(any(CHARSETS)) : bytes;
		};
	}

	private static byte[] splice(byte[] bytes, int from, int to, byte... replacement) {
		ByteArrayOutputStream spliced = new ByteArrayOutputStream();
		spliced.write(bytes, 0, from);
		spliced.write(replacement, 0, replacement.length);
		spliced.write(bytes, to, bytes.length - to);
		return spliced.toByteArray();
	}

	/**
	 * A byte order mark, overlong forms, surrogates, more than Unicode has, halves of
	 * characters, and tokens.
	 */
	private static byte[][] fragments() {
		return List
			.of("\u00ef\u00bb\u00bf", "\u00c0\u00af", "\u00c0\u0080", "\u00e0\u0080\u00af", "\u00f0\u0080\u0080\u00af",
					"\u00ed\u00a0\u0080", "\u00ed\u00a0\u00bd\u00ed\u00b8\u0080", "\u00f4\u0090\u0080\u0080",
					"\u00f8\u0088\u0080\u0080\u0080", "\u00e2\u0082", "\u0080", "\u00ff", "\u00fe\u00ff", "\0",
					"\"title\":\"x\",", ",\"x\":1", "\\u0000", "\\ud800", "\\ud83d\\ude00", "//", "/**/", "#", "null")
			.stream()
			.map((fragment) -> fragment.getBytes(StandardCharsets.ISO_8859_1))
			.toArray(byte[][]::new);
	}

	private boolean chance(int oneIn) {
		return this.random.nextInt(oneIn) == 0;
	}

	private <T> T any(T[] values) {
		return Objects.requireNonNull(values[this.random.nextInt(values.length)]);
	}

	/**
	 * A job.
	 *
	 * @param json its text
	 * @param fields what the text stands for
	 */
	public record Job(String json, Fields fields) {

	}

	/**
	 * An object of JSON, in order.
	 *
	 * @param fields its fields
	 */
	public record Fields(List<Field> fields) {

	}

	/**
	 * A field of an object.
	 *
	 * @param name its name
	 * @param value null, a Boolean, a String, a BigDecimal without trailing zeros, the
	 * Double -0.0 for a negative zero, a List, or Fields
	 */
	public record Field(String name, @Nullable Object value) {

	}

}
