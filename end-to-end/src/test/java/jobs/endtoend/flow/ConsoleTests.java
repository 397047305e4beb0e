package jobs.endtoend.flow;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import com.deque.html.axecore.selenium.AxeBuilder;
import com.mongodb.client.model.Filters;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The console in a real browser.
 */
@Tag("long")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConsoleTests {

	private static final Pair PAIR = new Pair();

	private static ChromeDriver browser;

	@BeforeAll
	static void start() {
		Path chromium = onPath("chromium", "chromium-browser", "google-chrome");
		Path driver = onPath("chromedriver");
		boolean found = chromium != null && driver != null;
		if (!found && System.getenv("CI") != null) {
			throw new IllegalStateException("CI must have chromium and chromedriver");
		}
		Assumptions.assumeTrue(found, "SKIPPED: no chromium and chromedriver on the PATH, the console is not tested");
		PAIR.start();
		ChromeOptions options = new ChromeOptions();
		options.setBinary(Objects.requireNonNull(chromium).toFile());
		options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
				"--window-size=1280,1000");
		browser = new ChromeDriver(
				new ChromeDriverService.Builder().usingDriverExecutable(Objects.requireNonNull(driver).toFile())
					.build(),
				options);
	}

	private static Path onPath(String... names) {
		return Stream.of(names)
			.flatMap((name) -> Stream.of(System.getenv("PATH").split(":")).map((folder) -> Path.of(folder, name)))
			.filter(Files::isExecutable)
			.findFirst()
			.orElse(null);
	}

	@AfterAll
	static void stop() {
		if (browser != null) {
			browser.quit();
		}
		PAIR.close();
	}

	@Test
	void showsJobsAsTextWhateverStandsInThem() throws IOException {
		String script = "<img src=x onerror=document.title=1><script>document.title=2</script>";
		String id = Postings.json(PAIR.post("{\"title\":\"%s\",\"company\":\"%s\"}".formatted(script, script)).body())
			.get("id")
			.asString();
		awaitStored(id);
		open();

		await(() -> text("jobs").contains(script));

		assertThat(browser.getTitle()).isEqualTo("Jobs: console");
		find("[name=id]").sendKeys(id, Keys.ENTER);
		await(() -> find("dialog").isDisplayed());
		assertThat(text("path")).contains("published to").contains("stored in MongoDB");
		assertThat(find("#body").getDomProperty("value")).contains(script);
		assertThat(browser.getTitle()).isEqualTo("Jobs: console");
	}

	@Test
	void correctsAndReplaysADeadLetterWithTheKeyboard() throws IOException {
		String key = UUID.randomUUID().toString();
		String id = Postings.json(PAIR.post("{\"title\":\"first\"}", "Idempotency-Key", key).body())
			.get("id")
			.asString();
		awaitStored(id);
		PAIR.post("{\"title\":\"second\"}", "Idempotency-Key", key);
		open();
		await(() -> text("dead").contains(id));
		WebElement letter = button("dead", id);

		letter.sendKeys(Keys.ENTER);
		await(() -> find("dialog").isDisplayed());
		assertThat(text("path")).contains("conflict");
		WebElement body = find("#body");
		body.clear();
		body.sendKeys("{\"title\": 7}");
		find("#correct").sendKeys(Keys.ENTER);
		await(() -> text("message").contains("/title"));
		body.clear();
		body.sendKeys("{\"title\":\"first\"}");
		find("#correct").sendKeys(Keys.ENTER);

		await(() -> !find("dialog").isDisplayed());
		await(() -> !text("dead").contains(id));
		assertThat(text("status")).isEqualTo("replayed with a corrected body");
		find("[name=id]").sendKeys(id, Keys.ENTER);
		await(() -> find("dialog").isDisplayed());
		assertThat(text("path"))
			.containsPattern("(?s)published to.*stored in MongoDB.*dead letter.*replayed with a corrected body");
		assertThat(PAIR.documents().countDocuments(Filters.eq("_id", id))).isEqualTo(1);
	}

	@Test
	void discardsADeadLetter() throws IOException {
		String id = postTwoJobsWithOneKey();
		open();
		await(() -> text("dead").contains(id));

		button("dead", id).click();
		await(() -> find("dialog").isDisplayed());
		find("#discard").click();

		await(() -> !text("dead").contains(id));
		assertThat(deadLetters("state=discarded&job=" + id)).hasSize(1);
	}

	@Test
	void replaysADeadLetterUnchanged() throws IOException {
		String id = postTwoJobsWithOneKey();
		open();
		await(() -> text("dead").contains(id));

		button("dead", id).click();
		await(() -> find("dialog").isDisplayed());
		find("#replay").click();

		await(() -> !find("dialog").isDisplayed());
		assertThat(deadLetters("state=replayed&job=" + id)).hasSize(1);
		await(() -> deadLetters("state=open&job=" + id).size() == 1);
	}

	/**
	 * The second becomes a dead letter.
	 * @return the id of both
	 */
	private static String postTwoJobsWithOneKey() throws IOException {
		String key = UUID.randomUUID().toString();
		PAIR.post("{\"title\":\"one\",\"company\":\"Acme\"}", "Idempotency-Key", key);
		return Postings.json(PAIR.post("{\"title\":\"two\"}", "Idempotency-Key", key).body()).get("id").asString();
	}

	private static JsonNode deadLetters(String query) {
		try {
			URI address = URI.create("http://127.0.0.1:%d/dead-letters?%s".formatted(PAIR.readPort, query));
			return Postings.json(PAIR.get(address).body()).get("deadLetters");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void showsWhatIsLive() throws IOException {
		open();
		await(() -> text("status").equals("storing"));
		long before = Long.parseLong(text("done").replaceAll("\\D", "0"));

		PAIR.upload(Postings.ndjson(Postings.lines()));

		await(() -> Long.parseLong(text("done").replaceAll("\\D", "")) >= before + Postings.lines().size());
		await(() -> text("waiting").equals("0"));
		await(() -> !text("latency").equals("–"));
		screenshot("console");
	}

	@ParameterizedTest
	@ValueSource(strings = { "light", "dark" })
	void keepsToWcagAa(String scheme) throws IOException {
		String id = postTwoJobsWithOneKey();
		open();
		prefer(scheme);
		try {
			await(() -> text("dead").contains(id));
			await(() -> text("jobs").contains("Acme"));
			requireWcagAa();

			button("dead", id).click();
			await(() -> find("dialog").isDisplayed());
			requireWcagAa();
		}
		finally {
			browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
		}
	}

	private static void requireWcagAa() throws IOException {
		// the library's own driver wants a second window
		try (InputStream axe = AxeBuilder.class.getResourceAsStream("/axe.min.js")) {
			script(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
		}
		Object violations = browser.executeAsyncScript("""
				const done = arguments[arguments.length - 1];
				axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }).then((found) =>
					done(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html)}`)), done);
				""");
		assertThat(violations).isEqualTo(List.of());
	}

	private static void prefer(String scheme) {
		browser.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
	}

	@Test
	void fitsANarrowScreenAndADarkOne() throws IOException {
		open();
		browser.manage().window().setSize(new Dimension(400, 900));
		try {
			prefer("dark");
			await(() -> text("status").equals("storing"));

			assertThat(script("return document.documentElement.scrollWidth - document.documentElement.clientWidth"))
				.isEqualTo(0L);
			assertThat(script("return getComputedStyle(document.body).backgroundColor")).isEqualTo("rgb(20, 23, 26)");
			screenshot("console-narrow-dark");
		}
		finally {
			browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
			browser.manage().window().setSize(new Dimension(1280, 1000));
		}
	}

	@Test
	void showsTheApiOnAPageOfItsOwn() throws IOException {
		for (int port : List.of(PAIR.port, PAIR.readPort)) {
			browser.get("http://127.0.0.1:%d/docs".formatted(port));
			await(() -> !browser.findElements(By.cssSelector(".opblock")).isEmpty());
			assertThat(find("body").getText()).contains("/dead-letters").contains("Accept one job, or many");
		}
		find("[id$=getDeadLetter] button").click();
		await(() -> !browser.findElements(By.cssSelector("[id$=getDeadLetter] tr[data-param-name=id]")).isEmpty());
		screenshot("api");
	}

	@Test
	void sendsAJobFromThePageOfTheApi() {
		browser.get("http://127.0.0.1:%d/docs".formatted(PAIR.port));
		for (String button : List.of("button.opblock-summary-control", ".try-out button", "button.execute")) {
			await(() -> !browser.findElements(By.cssSelector("[id$=postJobs] " + button)).isEmpty());
			find("[id$=postJobs] " + button).click();
		}

		await(() -> !browser.findElements(By.cssSelector(".live-responses-table .response-col_status")).isEmpty());
		assertThat(find(".live-responses-table tbody .response-col_status").getText()).startsWith("202");
	}

	@Test
	void saysWhenWhatItShowsIsOld() {
		open();
		await(() -> text("status").equals("storing"));

		assertThat(script("""
				show({ measuredAt: Date.now(), age: 20000, published: 5, waiting: 2, oldest: null, latency: null,
					listener: 'UP', deadLetters: 0 });
				return $('status').textContent + ' ' + $('arriving').textContent;
				""")).isEqualTo("Kafka does not answer; what is shown is 20.0 s old –");
		assertThat(script("""
				show({ measuredAt: Date.now(), age: 1000, published: 5, waiting: 2, oldest: null, latency: null,
					listener: 'UP', deadLetters: null });
				return $('status').textContent;
				""")).isEqualTo("MongoDB does not answer");
	}

	@Test
	void showsWhatComesWhileALinkHasTheFocus() throws IOException {
		String first = postTwoJobsWithOneKey();
		open();
		await(() -> text("dead").contains(first));
		button("dead", first).sendKeys(Keys.ENTER);
		await(() -> find("dialog").isDisplayed());
		find("#close").sendKeys(Keys.ENTER);

		String second = postTwoJobsWithOneKey();

		await(() -> text("dead").contains(second));
		assertThat(browser.switchTo().activeElement().getText()).isEqualTo(first);
	}

	@Test
	void showsWhatWasAskedForLast() throws IOException {
		awaitStored(Postings.json(PAIR.post("{\"title\":\"of another company\"}").body()).get("id").asString());
		open();
		await(() -> text("jobs").contains("of another company"));

		// a refresh whose answer comes after that to a search
		Object shown = browser.executeAsyncScript("""
				const done = arguments[arguments.length - 1];
				const real = window.fetch;
				window.fetch = async (path, options) => {
					const answer = await real(path, options);
					if (path === 'jobs') await new Promise((later) => setTimeout(later, 1000));
					return answer;
				};
				const slow = showJobs('jobs');
				$('job-search').elements.company.value = 'nobody';
				$('job-search').requestSubmit();
				Promise.resolve(slow).then(() => setTimeout(() => done($('jobs').textContent), 500));
				""");

		assertThat(shown).isEqualTo("none");
	}

	private static void open() {
		browser.get("http://127.0.0.1:%d/".formatted(PAIR.readPort));
	}

	private static void awaitStored(String id) throws IOException {
		String address = "http://127.0.0.1:%d/jobs/%s".formatted(PAIR.readPort, id);
		assertThat(PAIR.get(URI.create(address), "Prefer", "wait=20").statusCode()).isEqualTo(200);
	}

	private static WebElement button(String table, String text) {
		return browser.findElements(By.cssSelector("#" + table + " button"))
			.stream()
			.filter((button) -> button.getText().equals(text))
			.findFirst()
			.orElseThrow();
	}

	private static WebElement find(String selector) {
		return browser.findElement(By.cssSelector(selector));
	}

	private static String text(String id) {
		return String.valueOf(script("return document.getElementById('%s').textContent".formatted(id)));
	}

	private static Object script(String script) {
		return ((JavascriptExecutor) browser).executeScript(script);
	}

	private static void await(BooleanSupplier condition) {
		new WebDriverWait(browser, Duration.ofSeconds(20)).until((driver) -> condition.getAsBoolean());
	}

	private static void screenshot(String name) throws IOException {
		Files.write(Path.of("target", name + ".png"), browser.getScreenshotAs(OutputType.BYTES));
	}

}
