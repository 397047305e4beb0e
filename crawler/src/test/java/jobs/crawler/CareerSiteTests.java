package jobs.crawler;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Crawls of career sites by the program itself: all postings are found, none is invented,
 * and the log of the sites shows good manners. {@code -Dcrawler.postings=FILE} has it
 * with all postings of a file.
 */
@Timeout(600)
class CareerSiteTests {

	private static final int HOSTS = 4;

	private static final int KILLS = 20;

	private static final int PAUSE = 2;

	@TempDir
	private Path state;

	private Site site;

	private FakePair pair;

	private CareerSite careers;

	private final List<Process> processes = new ArrayList<>();

	@BeforeEach
	void start() throws IOException {
		this.site = new Site(HOSTS);
		this.pair = new FakePair();
		String file = System.getProperty("crawler.postings");
		this.careers = new CareerSite(this.site, HOSTS,
				Path.of((file != null) ? file : "../end-to-end/src/test/resources/job-postings.ndjson"),
				(file != null) ? 1 : 5);
	}

	@AfterEach
	void end() {
		this.processes.forEach(Process::destroyForcibly);
		this.site.close();
		this.pair.close();
	}

	@Test
	void bringsAllPostingsAndAsksForNoMoreThanItMay() throws Exception {
		assertThat(exit(crawl("a"))).isZero();

		assertThat(differences()).isEmpty();
		assertThat(this.pair.conflicts()).isEmpty();
		assertThat(this.site.asked()).noneMatch(CareerSite::isForbidden);
		assertThat(this.site.log()).noneMatch((request) -> request.path().startsWith("/deep/more/more/more/more/more"));
		this.site.log().stream().collect(Collectors.groupingBy(Site.Request::origin)).forEach((origin, requests) -> {
			for (int i = 1; i < requests.size(); i++) {
				assertThat((requests.get(i).nanos() - requests.get(i - 1).nanos()) / 1_000_000).as(origin)
					.isGreaterThanOrEqualTo(PAUSE);
			}
		});
		// each page once, but for those that fail
		assertThat(this.site.asked().stream().filter((path) -> path.startsWith("/jobs/")).count())
			.isLessThan((long) (this.careers.expected().size() * 1.05 + 50));
	}

	@Test
	@Tag("long")
	void endsAlikeHoweverOftenItIsKilled() throws Exception {
		Random random = new Random(7);
		int kills = 0;
		for (int i = 0; i < KILLS; i++) {
			int requests = this.site.log().size() + 20 + random.nextInt(60);
			Process crawl = crawl("a");
			await().atMost(Duration.ofSeconds(60)).until(() -> this.site.log().size() >= requests || !crawl.isAlive());
			kills += crawl.isAlive() ? 1 : 0;
			crawl.destroyForcibly().waitFor();
		}
		assertThat(kills).isGreaterThan(KILLS / 2);

		assertThat(exit(crawl("a"))).isZero();

		assertThat(differences()).isEmpty();
		assertThat(this.pair.conflicts()).isEmpty();
	}

	@Test
	@Tag("long")
	void endsAlikeWhereTwoCrawlAtTheSameTime() throws Exception {
		Process one = crawl("a");
		Process other = crawl("b");

		assertThat(exit(one)).isZero();
		assertThat(exit(other)).isZero();

		assertThat(differences()).isEmpty();
		assertThat(this.pair.conflicts()).isEmpty();
	}

	@Test
	@Tag("long")
	void endsSoonOnATerminate() throws Exception {
		Process crawl = crawl("a");
		await().atMost(Duration.ofSeconds(60)).until(() -> this.site.log().size() > 50);

		assertThat(crawl.isAlive()).isTrue();
		crawl.destroy();

		assertThat(crawl.waitFor(10, TimeUnit.SECONDS)).isTrue();
		assertThat(exit(crawl("a"))).isZero();
		assertThat(differences()).isEmpty();
	}

	/** What is missing, invented or other than it should be. */
	private List<String> differences() {
		Map<String, String> expected = this.careers.expected();
		List<String> differences = new ArrayList<>();
		this.pair.documents().forEach((id, document) -> {
			String title = document.path("title").asString("");
			if (!title.equals(expected.remove(id))) {
				differences.add("%s has the title '%s'".formatted(id, title));
			}
		});
		expected.forEach((id, title) -> differences.add("%s is missing: %s".formatted(id, title)));
		return differences;
	}

	private static int exit(Process crawl) throws InterruptedException {
		assertThat(crawl.waitFor(8, TimeUnit.MINUTES)).isTrue();
		return crawl.exitValue();
	}

	private Process crawl(String name) throws IOException {
		List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java", "-Xmx128m",
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
				"jobs.crawler.Crawler", this.careers.root()));
		command.addAll(this.careers.others());
		command.addAll(List.of("--contact", "ann@example.org", "--allow-private", "--pause", "" + PAUSE, "--to",
				this.pair.url(), "--state", this.state.resolve(name).toString()));
		File log = this.state.resolve(name + ".log").toFile();
		Process process = new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(log))
			.start();
		this.processes.add(process);
		return process;
	}

}
