package jobs.endtoend.flow;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.stream.Stream;

import com.deque.html.axecore.selenium.AxeBuilder;
import com.mongodb.client.model.Filters;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Postings;
import jobs.localstack.Child;
import jobs.testkit.Backends;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.By;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.Select;
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
		LoggingPreferences logs = new LoggingPreferences();
		logs.enable(LogType.BROWSER, Level.ALL);
		ChromeOptions options = new ChromeOptions();
		options.setCapability("goog:loggingPrefs", logs);
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

	/**
	 * The policy of the page forbids nothing that it does, and no script of its fails.
	 */
	@AfterEach
	void hasNothingToComplainOf() {
		assertThat(browser.manage().logs().get(LogType.BROWSER).getAll()).extracting(LogEntry::getMessage)
			.noneMatch((message) -> message.contains("Content Security Policy") || message.contains("Uncaught"));
	}

	@Test
	void correctsAndReplaysADeadLetterWithTheKeyboard() throws Exception {
		String id = sendARecord("{\"company\":\"Acme\"}");
		open();
		await(() -> text("dead").contains(id));
		WebElement letter = button("dead", id);

		letter.sendKeys(Keys.ENTER);
		await(() -> find("dialog").isDisplayed());
		assertThat(text("path")).contains("contract");
		WebElement body = find("#body");
		body.clear();
		body.sendKeys("{\"title\": 7}");
		find("#correct").sendKeys(Keys.ENTER);
		await(() -> text("message").contains("/title"));
		body.clear();
		body.sendKeys("{\"title\":\"first\"}");
		find("#note").sendKeys("a title was missing");
		find("#correct").sendKeys(Keys.ENTER);

		await(() -> !find("dialog").isDisplayed());
		await(() -> !text("dead").contains(id));
		assertThat(text("said")).isEqualTo("replayed with a corrected body");
		awaitStored(id);
		find("[name=id]").sendKeys(id, Keys.ENTER);
		await(() -> find("dialog").isDisplayed());
		assertThat(text("path")).containsPattern(
				"(?s)dead letter.*replayed with a corrected body .* by somebody from 127.0.0.1: a title was missing.*published to.*stored in MongoDB");
		assertThat(PAIR.documents().countDocuments(Filters.eq("_id", id))).isEqualTo(1);
	}

	/**
	 * The same key is the same id: while the first job is stored, a replay of the second
	 * is a conflict again.
	 */
	@Test
	void offersNoReplayOfAConflictWhileTheFirstJobIsStored() throws IOException {
		String id = postTwoJobsWithOneKey();
		open();
		await(() -> text("dead").contains(id));

		button("dead", id).click();
		await(() -> find("dialog").isDisplayed());
		assertThat(find("#replay").isDisplayed()).isFalse();
		assertThat(find("#correct").isDisplayed()).isFalse();
		assertThat(find("#discard").isDisplayed()).isTrue();
		assertThat(find("#advice").getText()).contains("The first job with this id is stored")
			.contains("Idempotency-Key of its own");
		find("#close").click();
		PAIR.documents().deleteOne(Filters.eq("_id", id));

		button("dead", id).click();
		await(() -> find("dialog").isDisplayed());
		assertThat(find("#replay").isDisplayed()).isTrue();
		assertThat(find("#advice").isDisplayed()).isFalse();
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
	void replaysADeadLetterUnchanged() throws Exception {
		String id = sendARecord("nonsense");
		open();
		await(() -> text("dead").contains(id));

		button("dead", id).click();
		await(() -> find("dialog").isDisplayed());
		find("#replay").click();

		await(() -> !find("dialog").isDisplayed());
		assertThat(deadLetters("state=replayed&job=" + id)).hasSize(1);
		await(() -> deadLetters("state=open&job=" + id).size() == 1);
	}

	/** The number stands there first, and only what was counted is meant. */
	@Test
	void replaysAndDiscardsManyAfterItHasToldTheirNumber() throws Exception {
		PAIR.delete(URI.create("http://127.0.0.1:%d/dead-letters?state=open".formatted(PAIR.readPort)));
		List<String> ids = List.of(sendARecord("{\"company\":\"1\"}"), sendARecord("{\"company\":\"2\"}"),
				sendARecord("{\"company\":\"3\"}"));
		String other = sendARecord("nonsense");
		await(() -> deadLetters("state=open").size() == 4);
		open();
		new Select(find("[name=reason]")).selectByVisibleText("contract");
		find("#dead-search button").click();

		find("#replay-passing").click();
		await(() -> text("many-words").startsWith("0 of 3 open dead letters of the reason contract, seen until "));
		assertThat(find("#many-do").isDisplayed()).isFalse();
		find("#many-close").click();
		find("#replay-many").click();
		await(() -> text("many-words").startsWith("3 open dead letters of the reason contract, seen until "));
		assertThat(text("many-words")).endsWith("It can’t be undone.");
		screenshot("console-many");
		find("#many-note").sendKeys("the rule is mended");
		find("#many-do").click();

		await(() -> text("said").equals("3 replayed"));
		// they break the contract still
		await(() -> deadLetters("state=open&reason=contract").size() == 3);
		assertThat(deadLetters("state=replayed&job=" + ids.getFirst())).singleElement()
			.satisfies((one) -> assertThat(one.get("history").get(0).get("note").asString())
				.isEqualTo("the rule is mended"));
		find("#discard-many").click();
		await(() -> text("many-words").startsWith("3 open dead letters of the reason contract"));
		find("#many-do").click();
		await(() -> text("said").equals("3 discarded"));
		assertThat(deadLetters("state=open")).singleElement()
			.satisfies((one) -> assertThat(one.get("job").asString()).isEqualTo(other));
		new Select(find("[name=state]")).selectByVisibleText("discarded");
		assertThat(find("#replay-many").isDisplayed()).isFalse();
		assertThat(find("#replay-passing").isDisplayed()).isFalse();
	}

	@Test
	void selectsDeadLettersByEachReason() {
		open();

		assertThat(script("return [...$('dead-search').elements.reason.options].map((one) => one.value)"))
			.isEqualTo(List.of("", "not-json", "contract", "conflict", "mongodb", "internal", "unknown"));
	}

	/**
	 * Sends a record as any producer may, and returns its key.
	 */
	private static String sendARecord(String value) throws Exception {
		return sendARecord(PAIR.topic, value);
	}

	private static String sendARecord(String topic, String value) throws Exception {
		return sendRecords(topic, value, 1);
	}

	/**
	 * Sends records of one value.
	 * @return the key of the last
	 */
	private static String sendRecords(String topic, String value, int count) throws Exception {
		try (KafkaProducer<String, String> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", Backends.get().kafka()), new StringSerializer(), new StringSerializer())) {
			for (int i = 1; i < count; i++) {
				producer.send(new ProducerRecord<>(topic, UUID.randomUUID().toString(), value));
			}
			String key = UUID.randomUUID().toString();
			producer.send(new ProducerRecord<>(topic, key, value)).get(20, TimeUnit.SECONDS);
			return key;
		}
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
		awaitWell();
		assertThat(text("kafka-state")).isEqualTo("answers");
		assertThat(text("mongo-state")).isEqualTo("answers");
		assertThat(text("listener-state")).isEqualTo("storing");
		assertThat(text("topic-state")).isEqualTo(PAIR.topic);
		long before = Long.parseLong(text("done").replaceAll("\\D", "0"));

		PAIR.upload(Postings.ndjson(Postings.lines()));

		await(() -> Long.parseLong(text("done").replaceAll("\\D", "")) >= before + Postings.lines().size());
		await(() -> text("waiting").equals("0"));
		await(() -> text("latency").startsWith("half of the jobs within"));
		screenshot("console");
	}

	@Test
	void showsTheMinutesBeforeThePage() throws Exception {
		PAIR.upload(Postings.ndjson(Postings.lines()));
		String id = sendARecord("nonsense");
		await(() -> deadLetters("job=" + id).size() == 1);
		// until a page begins after the sample that has them
		await(() -> {
			open();
			await(() -> script("return samples.length > 0").equals(true));
			return script("return samples.some((sample) => sample[1] > 0 && sample[0] < performance.timeOrigin)")
				.equals(true) && text("reasons-keys").matches("(?s).*not-json [1-9].*");
		});

		assertThat(script("return charts.map((chart) => chart.drawn.data[0].length > 1)"))
			.isEqualTo(List.of(true, true, true, true));
		assertThat(script("return samples.some((sample) => sample[4] > 0 && sample[5] >= sample[4])")).isEqualTo(true);
		assertThat(script("return document.querySelectorAll('.plot canvas').length")).isEqualTo(4L);
	}

	@Test
	void readsTheChartsWithTheKeyboard() {
		open();
		await(() -> text("rates-keys").startsWith("now"));

		await(() -> {
			// the first sample may be about to come
			find("#rates").sendKeys(Keys.ARROW_LEFT);
			return text("rates-keys").matches("at \\d\\d:\\d\\d:\\d\\d.*accepted.*done.*");
		});
		find("#rates").sendKeys(Keys.ESCAPE);
		await(() -> text("rates-keys").startsWith("now"));
	}

	@Test
	void reachesEverythingWithTheKeyboardAndShowsWhereItIs() {
		open();
		await(() -> text("rates-keys").startsWith("now"));
		script("document.activeElement.blur()");

		List<String> reached = new ArrayList<>();
		// a time has a stop for each of its parts
		for (int i = 0; i < 40 && !reached.contains("Show"); i++) {
			new Actions(browser).sendKeys(Keys.TAB).perform();
			reached.add(String.valueOf(script("""
					const one = document.activeElement;
					const seen = getComputedStyle(one).outlineStyle !== 'none' ? '' : ' unseen';
					return (one.id || one.name || one.textContent) + seen;
					""")));
		}

		assertThat(reached).containsSubsequence("API", "Metrics", "Health", "rates", "latencies", "lag", "reasons",
				"state", "reason", "Show");
		assertThat(reached).noneMatch((one) -> one.endsWith(" unseen"));
	}

	@ParameterizedTest
	@CsvSource(
			textBlock = """
					{} | good | All is well
					{ deadLetters: 1 } | note | All is well, but 1 dead letter is open
					{ deadLetters: 1000 } | note | All is well, but 1,000 or more dead letters are open
					{ deadLetters: null, uncounted: true } | note | All is well, but MongoDB does not tell how many dead letters are open
					{ waiting: 5, oldest: at - 90_000 } | note | 5 jobs wait safely in Kafka, the oldest for 4 min
					{ oldest: at - 4 * day, retention: 7 * day } | bad | The oldest job has waited for 4 days, and Kafka deletes it after 7 days
					{ recent: false } | bad | How many jobs wait is not known; what is shown is from 14:03
					{ waiting: 12410, ...down('mongo', at) } | bad | MongoDB has not answered since 14:03; 12,410 jobs wait safely in Kafka
					{ waiting: 1, ...down('mongo', at - day) } | bad | MongoDB has not answered since 30 Jan 14:03; 1 job waits safely in Kafka
					down('mongo', null) | bad | MongoDB does not answer; no job waits yet
					down('mongo', at, 'MongoDB does not answer: a time-out') | bad | MongoDB has not answered since 14:03; no job waits yet
					{ recent: false, ...down('kafka', at) } | bad | Kafka has not answered since 14:03; what is shown is from then
					down('kafka', at, 'The topic a was deleted; a restart creates it anew') | bad | The topic a was deleted (since 14:03); a restart creates it anew; no job waits yet
					{ waiting: 2, ...down('listener', at, 'Kafka does not let this service read a') } | bad | Kafka has not let this service read a since 14:03; 2 jobs wait safely in Kafka
					{ waiting: 2, ...down('listener', at, 'A batch can’t be stored now: disk full') } | bad | A batch can’t be stored now (since 14:03); 2 jobs wait safely in Kafka
					down('mongo', at, 'MongoDB answers: shutting down') | bad | MongoDB answers: shutting down (since 14:03); no job waits yet
					{ waiting: 2, ...down('listener', at, 'The consumer may not read the topic a.') } | bad | The consumer may not read the topic a since 14:03; 2 jobs wait safely in Kafka
					{ deadLetters: null } | wait | How many dead letters are open is not known yet
					{ measuredAt: null, recent: false } | wait | How many jobs wait is not known yet
					{ parts: [] } | wait | kafka-to-mongo has just started, and asks Kafka and MongoDB
					{ published: 0 } | note | All is well, but no job has come to the topic a yet
					{ warnings: [{ name: 'topic', reason: 'Nobody reads the topic; start one', since: at }] } | bad | Nobody reads the topic (since 14:03); start one
					{ waiting: 2, oldest: null } | note | 2 jobs wait in Kafka, and since when is not known
					{ waiting: 2, oldest: null, resource: { name: 'orders' } } | note | 2 documents wait in Kafka, and since when is not known
					{ resource: { name: 'orders' }, ...down('listener', at, 'It is full') } | note | All is well with orders
					{ resource: { name: 'orders' }, ...down('listener-orders', at, 'It is full') } | bad | It is full (since 14:03); no document waits yet
					down('listener-orders', at, 'It is full') | note | All is well with jobs
					{ resource: { name: 'orders' }, parts: [...down('mongo', at).parts, { name: 'listener', state: 'DOWN' }] } | bad | MongoDB has not answered since 14:03; no document waits yet
					{ waiting: 2, ...down('mongo', at), parts: [...down('mongo', at).parts.slice(0, 2), { name: 'listener', state: 'DOWN' }] } | bad | MongoDB has not answered since 14:03; 2 jobs wait safely in Kafka
					""",
			delimiter = '|')
	void saysHowThePairIsInOneSentence(String state, String level, String sentence) {
		open();

		Object found = script(
				"""
						const at = new Date(2026, 0, 31, 14, 3).getTime();
						const day = 86_400_000;
						const down = (name, since, reason) => ({ parts: ['kafka', 'mongo', 'listener', 'listener-orders']
							.map((one) => (one === name ? { name, state: 'DOWN', reason, since } : { name: one, state: 'UP' })) });
						const found = condition({ now: at + 150_000, topic: 'a', measuredAt: at, recent: true, published: 9, waiting: 0,
							oldest: null, retention: null, deadLetters: 0, ...down(), ...%s });
						return `${found.level} ${found.sentence}`;
						"""
					.formatted(state));

		assertThat(found).isEqualTo(level + " " + sentence);
	}

	/**
	 * A cause may be as long as a log line: it stands below the sentence, and no box
	 * grows by it.
	 */
	@Test
	void saysTheCauseBelowTheSentence() {
		open();
		awaitWell();

		Object found = script(
				"""
						const reason = "A batch can't be stored now: com.mongodb.MongoException: no space left, " + 'x'.repeat(1000);
						show({ ...last, samples: [], parts: [{ name: 'listener', state: 'DOWN', reason }] });
						return [$('status').textContent.split(';')[0], $('listener-state').textContent,
							$('cause').textContent.slice(0, 13), $('cause').textContent.length];
						""");

		assertThat(found)
			.isEqualTo(List.of("A batch can't be stored now", "A batch can't be stored now", "no space left", 241L));
	}

	@Test
	void tellsTheTimesOfTheServiceWhateverTheClockOfTheBrowserSays() {
		open();
		awaitWell();

		Object found = script(
				"""
						Date.now = () => 0;
						show({ ...last, samples: [], now: 1_000_000_000_000, measuredAt: 999_999_999_000, recent: true, waiting: 2,
							oldest: 999_999_998_000, retention: 7 * 86_400_000 });
						return $('oldest').textContent;
						""");

		assertThat(found).isEqualTo("the oldest for 2.0 s, kept for 7 days");
	}

	@Test
	void saysThatMongoDbIsAwayAndThatJobsAreSafe() throws IOException {
		Child database = Backends.get().database().orElse(null);
		Assumptions.assumeTrue(database != null, "SKIPPED: this MongoDB may not be killed");
		open();
		awaitWell();
		database.kill();
		try {
			PAIR.post("{\"title\":\"waits\"}");
			PAIR.post("{\"title\":\"waits\"}");

			awaitFault(() -> text("status")
				.matches("MongoDB has not answered since \\d\\d:\\d\\d; [\\d,]+ jobs wait safely in Kafka"));
			assertThat(level("condition")).isEqualTo("bad");
			assertThat(level("mongo")).isEqualTo("bad");
			assertThat(level("kafka")).isEqualTo("good");
			screenshot("console-without-mongo");
		}
		finally {
			database.start();
		}
		awaitFault(() -> text("status").startsWith("All is well") && text("mongo-state").equals("answers"));
	}

	@Test
	void saysThatKafkaIsAwayAndFromWhenItsFiguresAre() throws IOException {
		Child broker = Backends.get().broker().orElse(null);
		Assumptions.assumeTrue(broker != null, "SKIPPED: this Kafka may not be killed");
		open();
		awaitWell();
		broker.kill();
		try {
			awaitFault(() -> text("status")
				.matches("Kafka has not answered since \\d\\d:\\d\\d; what is shown is from then"));
			assertThat(level("condition")).isEqualTo("bad");
			assertThat(level("kafka")).isEqualTo("bad");
			awaitFault(() -> text("topic-state").matches("not known since \\d\\d:\\d\\d; this is from then"));
			assertThat(text("accepted")).isEqualTo("–");
			screenshot("console-without-kafka");
		}
		finally {
			broker.start();
		}
		awaitFault(() -> text("status").startsWith("All is well") && text("kafka-state").equals("answers"));
	}

	@Test
	void saysThatTheServiceItselfIsSilent() {
		open();
		awaitWell();
		PAIR.kafkaToMongo.signal("STOP");
		try {
			awaitFault(() -> text("status").startsWith("kafka-to-mongo has not answered since"));
			assertThat(text("kafka-state")).isEqualTo("not known now");
			assertThat(level("listener")).isEqualTo("wait");
		}
		finally {
			PAIR.kafkaToMongo.signal("CONT");
		}
		awaitFault(() -> text("status").startsWith("All is well"));
	}

	private static String level(String id) {
		return String.valueOf(script("return $('%s').dataset.level".formatted(id)));
	}

	private static void awaitWell() {
		await(() -> text("status").startsWith("All is well"));
	}

	private static void awaitFault(BooleanSupplier condition) {
		new WebDriverWait(browser, Duration.ofSeconds(60)).until((driver) -> condition.getAsBoolean());
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
			find("#close").click();

			script("""
					const real = show;
					window.show = () => {};
					real({ ...last, samples: [], recent: false, parts: last.parts.map((one) => ({ ...one, state: 'DOWN' })) });
					""");
			assertThat(level("condition")).isEqualTo("bad");
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

	@ParameterizedTest
	@ValueSource(ints = { 390, 320 })
	void fitsANarrowScreenAndADarkOne(int width) throws IOException {
		browser.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", 900, "deviceScaleFactor", 1, "mobile", true));
		try {
			prefer("dark");
			open();
			awaitWell();
			await(() -> text("rates-keys").startsWith("now"));

			assertThat(script("return document.documentElement.scrollWidth")).isEqualTo((long) width);
			assertThat(script("return getComputedStyle(document.body).backgroundColor")).isEqualTo("rgb(15, 19, 23)");
			screenshot("console-narrow-dark");
		}
		finally {
			browser.executeCdpCommand("Emulation.setEmulatedMedia", Map.of("features", List.of()));
			browser.executeCdpCommand("Emulation.clearDeviceMetricsOverride", Map.of());
		}
	}

	@Test
	void showsTheApiOfEachServiceOnAPageOfItsOwn() throws IOException {
		List<String> accepting = operations("http://127.0.0.1:%d/".formatted(PAIR.port));
		assertThat(accepting).containsExactly("postJobs", "listContracts", "getContract", "isReady", "getMetrics",
				"getBillOfMaterials");
		assertThat(find("#servers").getText()).isEqualTo("/ - rest-to-kafka");
		assertThat(find("body").getText()).doesNotContain("DeadLetter");

		List<String> storing = operations("http://127.0.0.1:%d/docs".formatted(PAIR.readPort));
		assertThat(storing).containsExactly("listJobs", "followJobs", "getJob", "eraseJob", "listDeadLetters",
				"discardDeadLetters", "replayDeadLetters", "getDeadLetter", "discardDeadLetter", "replayDeadLetter",
				"listContracts", "getContract", "isReady", "getMetrics", "getBillOfMaterials");
		assertThat(find("#servers").getText()).isEqualTo("/ - kafka-to-mongo");
		find("[id$=getDeadLetter] button").click();
		await(() -> !browser.findElements(By.cssSelector("[id$=getDeadLetter] tr[data-param-name=id]")).isEmpty());
		screenshot("api");
	}

	/** The operations that a page of the API shows, in its order. */
	private static List<String> operations(String page) {
		browser.get(page);
		await(() -> !browser.findElements(By.cssSelector(".opblock")).isEmpty());
		return browser.findElements(By.cssSelector(".opblock"))
			.stream()
			.map((one) -> String.valueOf(one.getDomProperty("id")).replaceFirst(".*-", ""))
			.toList();
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

	@Test
	void offersNoChoiceOfOneResource() {
		open();
		awaitWell();

		assertThat(find("#switch").isDisplayed()).isFalse();
		assertThat(text("others")).isEmpty();
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

	/** Jobs and orders in one pair. */
	@Nested
	class WithOrders {

		private static final String ORDERS = "orders-" + UUID.randomUUID();

		@TempDir
		private static Path folder;

		private static Pair pair;

		@BeforeAll
		static void start() throws IOException {
			Files.writeString(contract(), """
					{
					  "$schema": "https://json-schema.org/draft/2020-12/schema",
					  "type": "object",
					  "required": ["orderNumber"],
					  "properties": {
					    "orderNumber": { "type": "integer" },
					    "customer": { "type": "object", "properties": { "name": { "type": "string" } } },
					    "state": { "type": "string" },
					    "items": { "type": "array" }
					  }
					}
					""");
			Path file = Files.writeString(folder.resolve("resources.yaml"), """
					resources:
					  jobs:
					  orders:
					    contract: order.schema.json
					    find-by: [/customer/name, /state]
					    list: [/orderNumber, /customer/name, /items]
					    topic: %1$s
					    group: %1$s
					""".formatted(ORDERS));
			pair = new Pair(Map.of("JOBS_RESOURCES", "file:" + file)).start();
		}

		private static Path contract() {
			return folder.resolve("order.schema.json");
		}

		/** A service reads its contracts once. */
		private static void changeContract(String from, String to) throws IOException {
			Files.writeString(contract(), Files.readString(contract()).replace(from, to));
			pair.kafkaToMongo.close();
			pair.kafkaToMongo.start();
			pair.awaitReady(pair.kafkaToMongo);
		}

		@AfterAll
		static void stop() {
			if (pair != null) {
				pair.close();
			}
		}

		@Test
		void showsJobsAsWithoutOrders() throws IOException {
			pair.post("{\"title\":\"a title\",\"company\":\"Acme\"}");
			open("");

			await(() -> text("jobs").contains("a title"));

			assertThat(browser.getTitle()).isEqualTo("Jobs: console");
			assertThat(headings("jobs")).containsExactly("Accepted", "Stored after", "Title", "Company", "Id");
			assertThat(headings("dead")).containsExactly("Seen", "Reason", "Detail", "Job", "State");
			assertThat(find("#job-search").getText()).contains("Company (exactly)");
			assertThat(text("jobs-title")).isEqualTo("Jobs");
			assertThat(text("topic-state")).isEqualTo(pair.topic);
			assertThat(text("latency")).matches("(half of the jobs|no job).*");
		}

		@Test
		void showsOrdersWithTheirColumnsAndSearch() throws IOException {
			String script = "<img src=x onerror=document.title=1>";
			order(9_007_199_254_740_993L, script);
			order(2, "Bert");
			open("");
			awaitWell();

			new Select(find("#resource")).selectByVisibleText("orders");

			await(() -> text("jobs").contains("Bert"));
			assertThat(browser.getCurrentUrl()).endsWith("/?resource=orders");
			assertThat(browser.getTitle()).isEqualTo("Orders: console");
			assertThat(headings("jobs")).containsExactly("Accepted", "Stored after", "OrderNumber", "Name", "Items",
					"Id");
			assertThat(headings("dead")).containsExactly("Seen", "Reason", "Detail", "Document", "State");
			assertThat(text("jobs")).contains(script).contains("9007199254740993").contains("[{\"sku\":\"a\"}]");
			assertThat(text("topic-state")).isEqualTo(ORDERS);
			requireWcagAa();
			screenshot("console-orders");

			find("[name='customer.name']").sendKeys("Bert");
			find("[name=state]:not(select)").sendKeys("new", Keys.ENTER);
			await(() -> !text("jobs").contains(script));
			assertThat(text("jobs")).contains("Bert");

			browser.findElement(By.cssSelector("#jobs button")).click();
			await(() -> find("dialog").isDisplayed());
			assertThat(text("detail-title")).startsWith("Document ");
			assertThat(text("path")).contains("published to " + ORDERS).contains("stored in MongoDB");
			assertThat(find("#body").getDomProperty("value")).contains("Bert");
		}

		@Test
		void keepsTheChoiceInItsAddress() throws IOException {
			pair.post("{\"title\":\"a title\",\"company\":\"Acme\"}");
			order(3, "Carla");
			open("?resource=orders");
			await(() -> text("jobs").contains("Carla"));

			browser.navigate().refresh();
			await(() -> text("jobs").contains("Carla"));
			await(() -> script("return samples.length > 0").equals(true));
			find("#resource").sendKeys(Keys.ARROW_UP);
			await(() -> text("jobs").contains("Acme"));
			assertThat(browser.getCurrentUrl()).endsWith("/?resource=jobs");
			assertThat(text("jobs")).doesNotContain("Carla");
			await(() -> text("topic-state").equals(pair.topic));

			browser.navigate().back();
			await(() -> text("jobs").contains("Carla"));
			assertThat(new Select(find("#resource")).getFirstSelectedOption().getText()).isEqualTo("orders");
		}

		/** A login ends at an address without the choice. */
		@Test
		void keepsTheChoiceThroughALogin() {
			open("?resource=orders");
			awaitWell();
			script("for (const id of ['key-form', 'login']) $(id).hidden = false; $('login').href = './'");

			find("#login").click();

			await(() -> browser.getCurrentUrl().endsWith("/?resource=orders") && text("topic-state").equals(ORDERS));
		}

		@Test
		void showsTheFirstResourceWhereALinkNamesNone() {
			open("?resource=nothing");

			await(() -> text("said").contains("must be one of [jobs, orders]"));
			awaitWell();
			assertThat(browser.getCurrentUrl()).endsWith("/");
			assertThat(text("jobs-title")).isEqualTo("Jobs");
		}

		@Test
		void replaysADeadLetterOfOrders() throws Exception {
			String id = sendARecord(ORDERS, "{\"orderNumber\":\"four\"}");
			open("?resource=orders");
			await(() -> text("dead").contains(id));

			button("dead", id).click();
			await(() -> find("dialog").isDisplayed());
			assertThat(text("path")).contains("document " + id).contains("/orderNumber");
			find("#body").clear();
			find("#body").sendKeys("{\"orderNumber\":4,\"customer\":{\"name\":\"Dora\"}}");
			find("#correct").click();

			await(() -> !find("dialog").isDisplayed());
			await(() -> text("jobs").contains("Dora"));
			await(() -> !text("dead").contains(id));
			find("[name=id]").sendKeys(id, Keys.ENTER);
			await(() -> find("dialog").isDisplayed());
			assertThat(text("path")).containsPattern(
					"(?s)dead letter.*replayed with a corrected body.*published to " + ORDERS + ".*stored in MongoDB");
		}

		@Test
		void discardsManyDeadLettersOfOrdersAlone() throws Exception {
			String job = sendARecord(pair.topic, "nonsense");
			String order = sendARecord(ORDERS, "nonsense");
			open("");
			await(() -> text("dead").contains(job));
			new Select(find("#resource")).selectByVisibleText("orders");
			await(() -> text("dead").contains(order));
			assertThat(text("dead")).doesNotContain(job);

			find("#discard-many").click();
			await(() -> text("many-words").contains("open dead letter"));
			find("#many-do").click();

			await(() -> text("said").endsWith("discarded"));
			await(() -> text("dead").equals("none"));
			new Select(find("#resource")).selectByVisibleText("jobs");
			await(() -> text("dead").contains(job));
		}

		@Test
		void replaysAllThatWouldPassNowWithTheKeyboard() throws Exception {
			pair.delete(deadLetters("?state=open"));
			String passing = sendARecord(ORDERS, "{\"orderNumber\":5,\"state\":7}");
			String failing = sendARecord(ORDERS, "{\"orderNumber\":\"five\"}");
			await(() -> countOpen() == 2);
			changeContract("\"state\": { \"type\": \"string\" }", "\"state\": true");
			open("?resource=orders");
			await(() -> text("dead").contains(passing) && text("dead").contains(failing));

			find("#replay-passing").sendKeys(Keys.ENTER);
			await(() -> text("many-words").startsWith("1 of 2 open dead letters, seen until "));
			assertThat(text("many-words")).endsWith(
					", would pass the contract now. A replay publishes those again as they are, and the others stay open. It can’t be undone.");
			requireWcagAa();
			screenshot("console-passing");
			find("#many-note").sendKeys("a state may be a number");
			find("#many-do").sendKeys(Keys.ENTER);

			await(() -> text("said").equals("1 replayed; 1 would still not pass"));
			assertThat(find("#many").isDisplayed()).isFalse();
			assertThat(browser.switchTo().activeElement()).isEqualTo(find("#replay-passing"));
			await(() -> !text("dead").contains(passing));
			await(() -> text("jobs").contains(passing));
			assertThat(text("dead")).contains(failing);
			assertThat(pair.get(deadLetters("?state=replayed&job=" + passing)).body())
				.contains("a state may be a number");

			find("#replay-passing").click();
			await(() -> text("many-words").startsWith("0 of 1 open dead letter, seen until "));
			assertThat(find("#many-do").isDisplayed()).isFalse();
			assertThat(find("#many-note").isDisplayed()).isFalse();
		}

		/** A request replays 1,000 at most, and the next goes on after them. */
		@Test
		void goesOnUntilItHasReplayedAllThatWouldPassNow() throws Exception {
			pair.delete(deadLetters("?state=open"));
			sendRecords(ORDERS, "{\"orderNumber\":\"six\"}", 3);
			sendRecords(ORDERS, "{\"orderNumber\":6,\"customer\":{\"name\":7}}", 1001);
			sendRecords(ORDERS, "{\"orderNumber\":\"six\"}", 3);
			await(() -> countOpen() == 1007);
			changeContract("\"name\": { \"type\": \"string\" }", "\"name\": true");
			open("?resource=orders");
			awaitWell();

			find("#replay-passing").click();
			await(() -> text("many-words").startsWith("1,001 of 1,007 open dead letters, seen until "));
			assertThat(script(
					"$('many-do').click(); return [$('replay-passing').getAttribute('aria-disabled'), $('many-words').textContent]"))
				.isEqualTo(List.of("true", "0 replayed …"));

			awaitFault(() -> text("said").equals("1,001 replayed; 6 would still not pass"));
			assertThat(script("return $('replay-passing').getAttribute('aria-disabled')")).isEqualTo("false");
			assertThat(countOpen()).isEqualTo(6);
		}

		private static URI deadLetters(String more) {
			return URI.create("http://127.0.0.1:%d/orders/dead-letters%s".formatted(pair.readPort, more));
		}

		private static long countOpen() {
			try {
				String answer = pair.post(deadLetters("/replay?state=open&dry-run=true"), "").body();
				return Postings.json(answer).get("matched").asLong();
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Test
		void namesAListenerOfAnotherResourceThatIsDown() throws IOException {
			open("?resource=orders");
			awaitWell();

			Object found = script("""
					const real = show;
					window.show = () => {};
					const parts = last.parts.map((one) => (one.name === 'listener'
						? { ...one, state: 'DOWN', reason: 'Kafka does not let this service read a' } : one));
					real({ ...last, samples: [], deadLetters: 0, parts });
					return [$('status').textContent, $('listener-state').textContent, $('others').textContent];
					""");

			assertThat(found).isEqualTo(List.of("All is well with orders", "storing",
					"The listener of jobs is not well: Kafka does not let this service read a"));
			assertThat(level("condition")).isEqualTo("note");
			assertThat(level("listener")).isEqualTo("good");
			screenshot("console-without-a-listener");
		}

		@Test
		void tellsTheRoleOfTheResource() {
			open("?resource=orders");
			awaitWell();

			script("open(asked, '', [], '{}', { reason: 'conflict', state: 'open' }, 'forbidden')");

			assertThat(text("advice"))
				.isEqualTo("Whether the first document is still stored is told with the role orders:read alone.");
		}

		private static void order(long number, String customer) throws IOException {
			URI orders = URI.create("http://127.0.0.1:%d/orders".formatted(pair.port));
			assertThat(pair.post(orders,
					"{\"orderNumber\":%d,\"customer\":{\"name\":\"%s\"},\"state\":\"new\",\"items\":[{\"sku\":\"a\"}]}"
						.formatted(number, customer))
				.statusCode()).isEqualTo(202);
		}

		private static void open(String query) {
			browser.get("http://127.0.0.1:%d/%s".formatted(pair.readPort, query));
		}

		@SuppressWarnings("unchecked")
		private static List<String> headings(String table) {
			return (List<String>) script(
					"return [...$('%s').closest('table').tHead.rows[0].cells].map((one) => one.textContent)"
						.formatted(table));
		}

	}

}
