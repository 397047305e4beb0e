package jobs.crawler.page;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

import jobs.crawler.fetch.Answer;
import jobs.crawler.page.LenientJson.Read;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * By pages of others: those of w3c/json-ld-api, of extruct, and the examples of
 * schema.org. Their licences stand beside them.
 */
class SuitesTests {

	@Test
	void readsTheScriptsOfTheW3c() throws IOException {
		List<String> others = new ArrayList<>();
		int count = 0;
		for (JsonNode one : JsonMapper.shared().readTree(bytes("jsonld/manifest.json")).get("cases")) {
			JsonNode option = one.get("option");
			if (!one.get("positive").asBoolean() || option.has("fragment")) {
				continue;
			}
			count++;
			List<JsonNode> found = documents("jsonld/" + one.get("input").asString());
			if (!option.path("extractAllScripts").asBoolean()) {
				found = found.subList(0, Math.min(found.size(), one.get("documents").size()));
			}
			if (!found.equals(flat(one.get("documents")))) {
				others.add(one.get("id").asString() + ": " + found);
			}
		}
		assertThat(count).isGreaterThan(10);
		assertThat(others).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("pagesOfExtruct")
	void readsTheScriptsOfExtruct(String name) throws IOException {
		List<JsonNode> expected = flat(JsonMapper.shared().readTree(bytes("extruct/" + name + ".jsonld")));

		assertThat(documents("extruct/" + name + ".html").stream().filter(JsonNode::isObject)).isEqualTo(expected);
	}

	@ParameterizedTest
	@MethodSource("examplesOfSchemaOrg")
	void findsTheExamplesOfSchemaOrg(String name) throws IOException, InterruptedException {
		ReadPage page = new PageReader("jobs-crawler", true).read("https://schema.org/" + name,
				new Answer.Page(HttpHeaders.of(Map.of("Content-Type", List.of("text/html")), (_, _) -> true),
						bytes("schemaorg/" + name)));

		assertThat(page.postings()).isNotEmpty();
		assertThat(page.broken()).isZero();
	}

	static Stream<String> pagesOfExtruct() throws IOException {
		return names("extruct", ".jsonld").map((name) -> name.replaceFirst("\\.jsonld$", ""));
	}

	static Stream<String> examplesOfSchemaOrg() throws IOException {
		return names("schemaorg", ".html");
	}

	private static Stream<String> names(String folder, String end) throws IOException {
		Path root = Path.of(URI.create(String.valueOf(SuitesTests.class.getResource("/" + folder))));
		try (Stream<Path> files = Files.walk(root)) {
			return files.map((file) -> root.relativize(file).toString())
				.filter((name) -> name.endsWith(end))
				.sorted()
				.toList()
				.stream();
		}
	}

	private static List<JsonNode> documents(String page) throws IOException {
		Document document = Jsoup.parse(new java.io.ByteArrayInputStream(bytes(page)), null, "https://example.org/");
		List<JsonNode> documents = new ArrayList<>();
		for (String script : PageReader.scripts(PageReader.elements(document))) {
			Read read = LenientJson.read(script);
			assertThat(read).as(script).isNotNull();
			documents.addAll(flat(Objects.requireNonNull(read).node()));
		}
		return documents;
	}

	private static List<JsonNode> flat(JsonNode node) {
		return node.isArray() ? node.valueStream().toList() : List.of(node);
	}

	private static byte[] bytes(String name) throws IOException {
		try (InputStream in = Objects.requireNonNull(SuitesTests.class.getResourceAsStream("/" + name), name)) {
			return in.readAllBytes();
		}
	}

}
