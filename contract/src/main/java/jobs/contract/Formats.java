package jobs.contract;

import java.text.Normalizer;
import java.text.Normalizer.Form;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.format.Format;
import com.networknt.schema.regex.RegularExpression;

/**
 * The formats of JSON Schema 2020-12.
 * <p>
 * Most are the validator's. Those that it checks by a regular expression that goes back,
 * or otherwise than the specification says, stand here.
 */
final class Formats {

	/** The longest name of a mailbox (RFC 5321). */
	private static final int MAX_MAILBOX = 64;

	private static final String IPV4 = "^(?:BYTE\\.){3}BYTE$".replace("BYTE",
			"(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)");

	private static final ExecutionContext NO_EXECUTION = new ExecutionContext();

	private static final SchemaContext NO_SCHEMA = new SchemaContext(Dialects.getDraft202012(),
			SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12));

	private static final Map<String, Format> THEIRS = com.networknt.schema.format.Formats.DEFAULT.stream()
		.collect(Collectors.toMap(Format::getName, (format) -> format));

	private static final Map<String, AssertedFormat> ALL = all();

	private Formats() {
	}

	/** The names of all formats that refuse values. */
	static Collection<String> names() {
		return ALL.keySet();
	}

	/**
	 * The formats for the validator, of which the ones with other names refuse nothing.
	 */
	static Collection<Format> forValidator() {
		Map<String, Format> formats = new HashMap<>(ALL);
		THEIRS.keySet().forEach((name) -> formats.putIfAbsent(name, new AssertedFormat(name, (value) -> true)));
		return formats.values();
	}

	/** The test of a format; of one that refuses nothing, it is always true. */
	static Predicate<String> test(String name) {
		AssertedFormat format = ALL.get(name);
		return (format != null) ? format.test() : (value) -> true;
	}

	private static Map<String, AssertedFormat> all() {
		Map<String, Predicate<String>> tests = new HashMap<>();
		Stream.of("date-time", "date", "time", "ipv6").forEach((name) -> tests.put(name, theirs(name)));
		Hosts hosts = new Hosts(theirs("idn-hostname"), theirs("ipv6"), pattern(IPV4));
		tests.put("hostname", hosts::isName);
		tests.put("idn-hostname", hosts::isInternationalName);
		Stream.of("uri", "uri-reference", "iri", "iri-reference").forEach((name) -> {
			Predicate<String> test = theirs(name);
			tests.put(name, (value) -> test.test(Hosts.withoutFutureAddress(value)) && hosts.hasGoodAuthority(value));
		});
		tests.put("email", mail("", hosts::isName, hosts));
		tests.put("idn-email", mail("\\x80-\\u{10ffff}",
				(host) -> hosts.isInternationalName(Normalizer.normalize(host, Form.NFC)), hosts));
		tests.put("ipv4", pattern(IPV4));
		tests.put("uuid", pattern("^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$"));
		tests.put("duration",
				pattern("^P(?:\\d+W|(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)(?:T(?:TIME))?|T(?:TIME))$"
					.replace("TIME", "\\d+S|\\d+M(?:\\d+S)?|\\d+H(?:\\d+M(?:\\d+S)?)?")));
		tests.put("json-pointer", pattern("^(?:/(?:[^/~]|~[01])*)*$"));
		tests.put("relative-json-pointer", pattern("^(?:0|[1-9]\\d*)(?:#|(?:/(?:[^/~]|~[01])*)*)$"));
		tests.put("uri-template",
				pattern("^(?:[^\\x00-\\x20\\x7f-\\x9f\"%<>\\\\^`{|}]|%HEX|\\{[+#./;?&=,!@|]?NAME(?:,NAME)*\\})*$"
					.replace("NAME", "VAR(?:\\.?VAR)*(?::[1-9]\\d{0,3}|\\*)?")
					.replace("VAR", "(?:\\w|%HEX)")
					.replace("HEX", "[0-9a-fA-F]{2}")));
		tests.put("regex", Formats::isPattern);
		return tests.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (one) -> new AssertedFormat(one.getKey(), one.getValue())));
	}

	private static Predicate<String> theirs(String name) {
		Format format = Objects.requireNonNull(THEIRS.get(name));
		return (value) -> format.matches(NO_EXECUTION, NO_SCHEMA, value);
	}

	/**
	 * RFC 5321, section 4.1.2, and RFC 6531 with more letters. The validator wants
	 * domains of a list that it has.
	 */
	private static Predicate<String> mail(String letters, Predicate<String> host, Hosts hosts) {
		String atom = "[\\w!#$%&'*+/=?^`{|}~\\-" + letters + "]+";
		Predicate<String> mailbox = pattern(
				"^(?:" + atom + "(?:\\." + atom + ")*|\"(?:[ !#-\\[\\]-~" + letters + "]|\\\\[ -~])*\")$");
		return (value) -> {
			int at = value.lastIndexOf('@');
			return at > 0 && at <= MAX_MAILBOX && mailbox.test(value.substring(0, at))
					&& (host.test(value.substring(at + 1)) || hosts.isAddress(value.substring(at + 1)));
		};
	}

	private static Predicate<String> pattern(String regex) {
		RegularExpression pattern = new Patterns(false).getRegularExpression(regex);
		return pattern::matches;
	}

	private static boolean isPattern(String value) {
		try {
			EcmaPattern.translate(value, false);
			return true;
		}
		catch (IllegalArgumentException ex) {
			return false;
		}
	}

}
