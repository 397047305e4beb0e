package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import jobs.benchmarks.Results.Work;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What is made of the figures.
 */
class ReportTests {

	private final Results results = new Results();

	private final Machine machine = new Machine("today", "abc", "a machine", List.of("Java"));

	private final Report report = new Report(this.results, this.machine, true);

	@Test
	void dividesByTheFloorOfTheSameRound() {
		Work work = this.results.work("POST", "jobs/s", "floor");
		work.add("service", 50, 20, 100);
		work.add("floor", 100, 10, 50);
		work.add("floor", 10, 10, 50);
		work.add("service", 9, 30, 200);
		work.add("service", 80, 10, 150);
		work.add("floor", 100, 10, 50);

		assertThat(work.comparison(work.of("service")).ratio()).isEqualTo(0.8);
		assertThat(work.cpuComparison(work.of("service")).ratio()).isEqualTo(2);
		assertThat(this.report.table()).contains("POST", "50.0 jobs/s", "9.00 to 80.0", "0.80", "2.00", "200");
	}

	@Test
	void tellsWhatHasBecomeWorse() {
		Work posts = this.results.work("POST", "jobs/s", "floor");
		Work starts = this.results.work("Start", "s", null);
		Work waits = this.results.work("Wait", "ms", null);
		for (int i = 0; i < 5; i++) {
			posts.add("floor", 200, 5, 50);
			posts.add("service", 90 + i * 0.1, 10, 50);
			posts.add("service abc", 100 - i * 0.1, 10 + i * 0.01, 50);
			starts.add("service", 2 + i * 0.1, Double.NaN, Double.NaN);
			starts.add("service abc", 2.4 - i * 0.1, Double.NaN, Double.NaN);
			waits.add("service", 3 + i * 0.01, 30, Double.NaN);
			waits.add("service abc", 2 + i * 0.01, 20, Double.NaN);
		}

		Changes changes = this.report.changes(" abc");
		assertThat(changes.worse()).containsExactly("POST, service: 0.90 (0.90 to 0.91)",
				"Wait, service: 1.50 (1.49 to 1.50)", "Wait, service, CPU: 1.50");
		assertThat(changes.judged()).isEqualTo(5);
	}

	@Test
	void doesNotJudgeAShortRun() {
		Work posts = this.results.work("POST", "jobs/s", "floor");
		posts.add("service", 50, 10, 50);
		posts.add("service abc", 100, 10, 50);

		assertThat(this.report.changes(" abc").judged()).isZero();
	}

	@Test
	void leavesOutWhatIsNoNumber() {
		Work work = this.results.work("Start", "s", null);
		work.add("a & b", 2, Double.NaN, Double.NaN);

		assertThat(this.report.table()).contains("a & b  2.00 s").doesNotContain("NaN");
		assertThat(this.report.json()).contains("\"ratio\" : null").doesNotContain("NaN");
		assertThat(this.report.page()).contains("| Start | a & b | 2.00 s |").doesNotContain("NaN");
		assertThat(new Picture(this.results).svg()).contains("a &amp; b").doesNotContain("NaN");
	}

	@Test
	void takesTheOtherPartsOfAnEarlierRun(@TempDir Path folder) throws IOException {
		this.results.begin("http");
		this.results.work("POST", "jobs/s", "floor").add("service", 50, 20, 100);
		this.results.work("POST", "jobs/s", "floor").add("floor", 100, 10, 50);
		this.results.begin("start");
		this.results.note("It was cold.");
		this.results.work("Start", "s", null).add("service", 2, Double.NaN, Double.NaN);
		Path json = Files.writeString(folder.resolve("benchmark.json"), this.report.json());
		Results now = new Results();
		now.begin("sink");
		now.work("Store", "jobs/s", null).add("service", 7, 1, 1);
		// measured only because another part needs it
		now.begin("http");
		now.work("POST", "jobs/s", null).add("service", 1, 1, 1);

		now.note("http was cold, too.");

		Results all = now.with(Results.read(json), Benchmark.ALL, Set.of("sink"));
		String page = new Report(all, new Machine("tomorrow", "def", "a machine", List.of("Java")), false).page();

		assertThat(all.works()).extracting(Work::name).containsExactly("POST", "Store", "Start");
		assertThat(page).contains("on tomorrow UTC at commit def")
			.contains("The parts http, start are of another run, on today UTC at commit abc (a machine; Java).")
			.contains("| POST | service | 50.0 jobs/s |  | 0.50 | 20.0 | 2.00 | 100 |")
			.contains("| Start | service | 2.00 s |  |  |  |  |  |")
			.contains("- It was cold.", "- http was cold, too.");
	}

	@Test
	void makesNoSentenceOfFiguresOfTwoMachines(@TempDir Path folder) throws IOException {
		this.results.begin("start");
		this.results.work("Start to ready, kafka-to-mongo", "s", null).add("as shipped", 2, Double.NaN, Double.NaN);
		this.results.begin("sink");
		this.results.work("Memory under these loads, topic", "MiB", null).add("kafka-to-mongo", 300, Double.NaN, 300);
		Path json = Files.writeString(folder.resolve("benchmark.json"), this.report.json());
		Results now = new Results();
		now.begin("http");
		now.work("Memory under these loads, HTTP", "MiB", null).add("rest-to-kafka", 200, Double.NaN, 200);
		Results all = now.with(Results.read(json), Benchmark.ALL, Set.of("http"));

		assertThat(new Report(all, this.machine, false).page()).contains("need at most 500 MiB");
		assertThat(new Report(all, new Machine("today", "abc", "another machine", List.of()), false).page())
			.doesNotContain("need at most");
	}

	@Test
	void drawsWhatDecides() {
		this.results.work("POST, 1 connection", "jobs/s", null).add("service", 50, 20, 100);

		assertThat(new Picture(this.results).svg()).contains("POST, 1 connection");

		this.results.work("POST, 64 connections", "jobs/s", null).add("service", 50, 20, 100);

		assertThat(new Picture(this.results).svg()).contains("POST, 64 connections").doesNotContain("1 connection,");
	}

	@Test
	void saysThatAllIsOfOneRun() {
		this.results.begin("http");
		this.results.work("POST", "jobs/s", null).add("service", 50, 20, 100);

		assertThat(this.report.page()).contains("All figures are of one run").doesNotContain("another run");
	}

	@Test
	void readsNoOtherFile(@TempDir Path folder) throws IOException {
		Path json = Files.writeString(folder.resolve("benchmark.json"), "{\"works\":[]}");

		assertThatIllegalStateException().isThrownBy(() -> Results.read(json)).withMessageContaining("no parts");
	}

	@Test
	void saysWhatTheFiguresMeanOnceAllOfThemAreThere() {
		this.results.work("POST, 64 connections", "jobs/s", null).add("rest-to-kafka", 20_000, 1, 1);
		this.results.work("NDJSON upload of 9 jobs", "jobs/s", null).add("rest-to-kafka", 100_000, 1, 1);

		assertThat(this.report.page()).doesNotContain("On this machine");

		this.results.work("Topic to mongod, 9 jobs", "jobs/s", null).add("kafka-to-mongo", 5_000, 1, 1);

		assertThat(this.report.page())
			.contains("takes 20,000 jobs/s by POST and 100,000 in an upload, and stores 5,000 in the database");
	}

}
