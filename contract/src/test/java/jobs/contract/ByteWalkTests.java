package jobs.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** The walk over bytes beside the walk over tokens, which decides. */
class ByteWalkTests {

	/** Parts of documents that stand at the edge of what is JSON, or of a rule. */
	private static final List<String> PARTS = List.of("{", "}", "[", "]", ",", ":", "\"", "\\", "\\n", "\\u00e9",
			"\\ud800", "\\x", "\"a\":1", "\"id\":1", "\"_b\":2", "\"$c\":3", "\"d.e\":4", "\"\":5", "\"ä\":6", "0",
			"-0", "-", "1", "00", "123456789012345678", "1234567890123456789", "1.", ".5", "1.5", "1e5", "1E+", "1e400",
			"1e-7000", "true", "false", "null", "nul", "tru", "NaN", " ", "\t", "\n", "\r", "\f", "\0", "\u0001", "ä",
			"€", "😀", "\uFEFF", "/", "//", "\"x\"", "{}", "[]", "{\"f\":[]}");

	private final JsonMapper json = JsonMapper
		.builder(JsonFactory.builder().disable(TokenStreamFactory.Feature.CANONICALIZE_PROPERTY_NAMES).build())
		.build();

	private final KnownNames names = new KnownNames();

	@Test
	void knowsWhatPeoplePost() throws IOException {
		for (String line : postings()) {
			byte[] document = line.getBytes(StandardCharsets.UTF_8);

			assertThat(events(document)).isEqualTo(eventsOfTokens(document)).isNotNull();
		}
	}

	@Test
	void knowsWhatJsonTestSuiteHasAsTheOtherWalkDoes() throws IOException {
		int known = 0;
		for (String file : JsonTestSuiteTests.files()) {
			byte[] document = JsonTestSuiteTests.document(file);
			List<String> events = events(document);
			if (events != null) {
				known++;
				assertThat(events).as(file).isEqualTo(eventsOfTokens(document));
				assertThat(file).doesNotStartWith("n_");
			}
		}
		assertThat(known).isGreaterThan(60);
	}

	static Stream<String> knownDocuments() {
		return Stream.of("{}", " {\n\t\"a\" : [ ] , \"b\" : { } }\r\n", "{\"\":\"\"}",
				"{\"a\":[1,-1,0,-0,123456789012345678],\"b\":[1.5,-0.0,1e5,1E-5,0.1e+1],\"c\":[true,false,null]}",
				"{\"text\":\"a\\\"b\\\\c\\/d\\n\\t\\r\\b\\f\"}", "{\"text\":\"a\\u00e9\\u20AC\\u0000b\"}",
				"{\"text\":\"äöü € 😀 \\n ß\",\"other\":\"1234567 8ä\"}",
				"{\"a\":{\"a\":{\"a\":1}},\"b\":[{\"a\":1},{\"a\":2}]}", "{\"\u007f\":\"\u007f\"}",
				"{\"Aa\":1,\"n\":{\"_a\":1,\"id\":2}}", "{\"a\":" + "[".repeat(63) + "]".repeat(63) + "}",
				"{\"" + "n".repeat(ByteWalk.MAX_NAME) + "\":\"" + "1234567\\n".repeat(9) + "\"}");
	}

	@ParameterizedTest
	@MethodSource
	void knownDocuments(String text) {
		byte[] document = text.getBytes(StandardCharsets.UTF_8);

		assertThat(events(document)).isEqualTo(eventsOfTokens(document)).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "[]", "1", "{", "}", "{}x", "{}{}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}",
			"{,\"a\":1}", "{\"a\":1 \"b\":2}", "{\"a\":[1,]}", "{\"a\":[,1]}", "{\"a\":[1 2]}", "{a:1}", "{'a':1}",
			"{\"a\":01}", "{\"a\":-}", "{\"a\":1.}", "{\"a\":.1}", "{\"a\":1e}", "{\"a\":+1}", "{\"a\":truth}",
			"{\"a\":nul}", "{\"a\":\"}", "{\"a\":\"\\\"}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u00g0\"}",
			"{\"a\":\"\\u00\"}", "{\"a\":\"\\u", "{\"a\":\"\n\"}", "{\"a\":1,\"a\":2}", "{\"id\":1}", "{\"_a\":1}",
			"{\"$a\":1}", "{\"a.b\":1}", "{\"a\":\"\\ud800\"}", "{\"a\":1e7000}", "{\"a\":12345678901234567890}",
			"\uFEFF{}", "{\"n\":{\"b\":1,\"b\":2}}" })
	void doesNotKnowWhatIsWrong(String text) {
		assertThat(events(text.getBytes(StandardCharsets.UTF_8))).isNull();
	}

	@Test
	void doesNotKnowWhatIsNoUtf8() {
		for (int bad : new int[] { 0x80, 0xC0, 0xED, 0xF5, 0xFF }) {
			byte[] document = "{\"a\":\"12?456789\"}".getBytes(StandardCharsets.US_ASCII);
			document[8] = (byte) bad;

			assertThat(events(document)).isNull();
		}
	}

	/**
	 * 300,000 documents, each a real one or a small one in which some parts are others.
	 */
	@Test
	void knowsNothingThatTheOtherWalkRefusesOrReadsOtherwise() throws IOException {
		List<String> seeds = new ArrayList<>(knownDocuments().toList());
		postings().stream().filter((line) -> line.length() < 400).limit(20).forEach(seeds::add);
		Random random = new Random(2026);
		int known = 0;
		for (int i = 0; i < 300_000; i++) {
			byte[] document = changed(seeds.get(random.nextInt(seeds.size())), random);
			List<String> events = events(document);
			if (events != null) {
				known++;
				assertThat(events).as(new String(document, StandardCharsets.UTF_8)).isEqualTo(eventsOfTokens(document));
			}
		}
		// else this would show nothing
		assertThat(known).isGreaterThan(30_000);
	}

	private static byte[] changed(String text, Random random) {
		StringBuilder changed = new StringBuilder(text);
		for (int i = random.nextInt(3); i >= 0; i--) {
			int at = random.nextInt(changed.length() + 1);
			switch (random.nextInt(4)) {
				case 0 -> changed.insert(at, PARTS.get(random.nextInt(PARTS.size())));
				case 1 -> changed.delete(at, Math.min(changed.length(), at + 1 + random.nextInt(3)));
				case 2 ->
					changed.replace(at, Math.min(changed.length(), at + 1), PARTS.get(random.nextInt(PARTS.size())));
				default -> changed.insert(at, changed.substring(0, Math.min(changed.length(), random.nextInt(9))));
			}
		}
		byte[] document = changed.toString().getBytes(StandardCharsets.UTF_8);
		if (document.length > 0 && random.nextInt(8) == 0) {
			document[random.nextInt(document.length)] = (byte) random.nextInt(256);
		}
		return document;
	}

	@Test
	void knowsAnIdWhereDocumentsHaveOne() {
		byte[] document = "{\"id\":\"a\"}".getBytes(StandardCharsets.US_ASCII);

		assertThat(new ByteWalk(document, new Recorder(), this.names, true).accepts()).isTrue();
		assertThat(new ByteWalk(document, new Recorder(), this.names, false).accepts()).isFalse();
	}

	@Test
	void doesNotKnowALongString() {
		String longest = "{\"a\":\"" + "x".repeat(4 * 1024 * 1024) + "%s\"}";

		assertThat(events(longest.formatted("").getBytes(StandardCharsets.US_ASCII))).isNotNull();
		assertThat(events(longest.formatted("x").getBytes(StandardCharsets.US_ASCII))).isNull();
	}

	/** The parts of a document, or {@code null} where it is not known. */
	private @Nullable List<String> events(byte[] document) {
		Recorder recorder = new Recorder();
		return new ByteWalk(document, recorder, this.names, false).accepts() ? recorder.events : null;
	}

	/** The same by the walk over tokens, or {@code null} where that refuses it. */
	private @Nullable List<String> eventsOfTokens(byte[] document) {
		String text = Utf8.decode(document);
		if (text == null) {
			return null;
		}
		Recorder recorder = new Recorder();
		try (JsonParser parser = this.json.createParser(text)) {
			boolean isRight = new DocumentWalk(parser, text.contains("\\u"), recorder, ContractSettings.DEFAULTS).walk()
				.isEmpty();
			return isRight ? recorder.events : null;
		}
		catch (RefusedDocumentException | JacksonException ex) {
			return null;
		}
	}

	private static List<String> postings() throws IOException {
		return Files.readAllLines(Path.of("../end-to-end/src/test/resources/job-postings.ndjson"));
	}

	private static final class Recorder implements JsonEvents {

		private final List<String> events = new ArrayList<>();

		@Override
		public void beginObject() {
			this.events.add("{");
		}

		@Override
		public void beginArray() {
			this.events.add("[");
		}

		@Override
		public void endObject() {
			this.events.add("}");
		}

		@Override
		public void endArray() {
			this.events.add("]");
		}

		@Override
		public void name(String name) {
			this.events.add("name " + name);
		}

		@Override
		public void string(Text text) {
			text.utf8((source, from, length) -> this.events
				.add("bytes " + new String(source, from, length, StandardCharsets.UTF_8)));
			this.events.add("string " + text.length() + " " + text.value());
		}

		@Override
		public void number(long value) {
			this.events.add("integer " + value);
		}

		@Override
		public void number(Text decimal) {
			this.events.add("decimal " + decimal.length() + " " + decimal.value());
		}

		@Override
		public void literal(boolean value) {
			this.events.add(Boolean.toString(value));
		}

		@Override
		public void literalNull() {
			this.events.add("null");
		}

	}

}
