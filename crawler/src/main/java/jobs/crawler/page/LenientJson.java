package jobs.crawler.page;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jsoup.parser.Parser;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads JSON as it stands on pages: as it is where it is right, else with as few repairs
 * as make it right.
 */
final class LenientJson {

	private static final ObjectReader STRICT = JsonMapper.builder()
		.enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
		.enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
		.build()
		.reader();

	private static final Pattern CDATA_BEGIN = Pattern.compile("^(//|/\\*)?[ \\t]*<!\\[CDATA\\[\\s*(\\*/)?");

	private static final Pattern CDATA_END = Pattern.compile("(//|/\\*)?[ \\t]*]]>[ \\t]*(\\*/)?$");

	/** Characters at the end in which a mark is looked for. */
	private static final int END = 40;

	private LenientJson() {
	}

	/** Reads a script, or returns {@code null} where nothing makes it JSON. */
	static @Nullable Read read(String script) {
		JsonNode node = parsed(STRICT, script);
		if (node != null) {
			return new Read(node, Set.of());
		}
		EnumSet<Repair> repairs = EnumSet.noneOf(Repair.class);
		String text = unwrapped(script, repairs);
		Read read = parsed(text, repairs);
		if (read == null && text.contains("&")) {
			repairs.add(Repair.ENTITIES);
			read = parsed(Parser.unescapeEntities(text, false), repairs);
		}
		return read;
	}

	/** Takes away what stands around the whole. */
	private static String unwrapped(String script, Set<Repair> repairs) {
		String text = script.strip();
		if (text.startsWith("\uFEFF")) {
			repairs.add(Repair.BYTE_ORDER_MARK);
			text = text.substring(1).strip();
		}
		int end = text.startsWith("<!--") ? text.indexOf("-->") + 3 : 0;
		if (end > 3 && isJson(text.substring(end).strip())) {
			repairs.add(Repair.COMMENT_MARKS);
			text = text.substring(end).strip();
		}
		if (text.startsWith("<!--") || text.endsWith("-->")) {
			repairs.add(Repair.COMMENT_MARKS);
			text = text.substring(text.startsWith("<!--") ? 4 : 0, text.length() - (text.endsWith("-->") ? 3 : 0))
				.strip();
		}
		Matcher begin = CDATA_BEGIN.matcher(text);
		if (begin.find()) {
			repairs.add(Repair.CDATA);
			text = text.substring(begin.end()).strip();
			int last = Math.max(0, text.length() - END);
			text = text.substring(0, last) + CDATA_END.matcher(text.substring(last)).replaceFirst("");
			text = text.strip();
		}
		if (text.endsWith(";")) {
			repairs.add(Repair.SEMICOLON);
			text = text.substring(0, text.length() - 1);
		}
		return text;
	}

	private static boolean isJson(String text) {
		return text.startsWith("{") || text.startsWith("[");
	}

	/** Tries all that the parser can overlook, and then without each. */
	private static @Nullable Read parsed(String text, Set<Repair> repairs) {
		JsonNode node = parsed(STRICT, text);
		List<Repair> needed = new ArrayList<>();
		if (node == null) {
			for (Repair one : Repair.OF_PARSER) {
				needed.add(one);
			}
			node = parsed(lenient(needed), text);
			if (node == null) {
				return null;
			}
			for (Repair one : Repair.OF_PARSER) {
				needed.remove(one);
				if (parsed(lenient(needed), text) == null) {
					needed.add(one);
				}
			}
		}
		EnumSet<Repair> all = EnumSet.noneOf(Repair.class);
		all.addAll(repairs);
		all.addAll(needed);
		return new Read(node, all);
	}

	private static ObjectReader lenient(List<Repair> repairs) {
		return STRICT.withFeatures(
				repairs.stream().flatMap((repair) -> Stream.of(repair.features)).toArray(JsonReadFeature[]::new));
	}

	private static @Nullable JsonNode parsed(ObjectReader reader, String text) {
		try {
			JsonNode node = reader.readTree(text);
			return (node == null || node.isMissingNode()) ? null : node;
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	/**
	 * What makes JSON of what a page has.
	 */
	enum Repair {

		/** The whole is an HTML comment, or one stands before it. */
		COMMENT_MARKS,
		/** The whole is a CDATA section. */
		CDATA,
		/** It ends as a statement. */
		SEMICOLON,
		/** It begins with a byte order mark. */
		BYTE_ORDER_MARK,
		/** Its quotes are entities. */
		ENTITIES,
		/** Lines break inside of strings. */
		RAW_CONTROL_CHARACTERS(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS),
		/** A comma stands before the end. */
		TRAILING_COMMA(JsonReadFeature.ALLOW_TRAILING_COMMA),
		/** It has comments. */
		COMMENTS(JsonReadFeature.ALLOW_JAVA_COMMENTS),
		/** A backslash stands before a character that needs none. */
		BACKSLASHES(JsonReadFeature.ALLOW_BACKSLASH_ESCAPING_ANY_CHARACTER);

		private static final List<Repair> OF_PARSER = List.of(RAW_CONTROL_CHARACTERS, TRAILING_COMMA, COMMENTS,
				BACKSLASHES);

		private final JsonReadFeature[] features;

		Repair(JsonReadFeature... features) {
			this.features = features;
		}

	}

	/**
	 * What a script has.
	 *
	 * @param node its value
	 * @param repairs without which it is no JSON
	 */
	record Read(JsonNode node, Set<Repair> repairs) {
	}

}
