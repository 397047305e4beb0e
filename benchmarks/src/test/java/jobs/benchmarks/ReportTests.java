package jobs.benchmarks;

import java.util.List;

import jobs.benchmarks.Results.Work;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is made of the figures.
 */
class ReportTests {

	private final Results results = new Results();

	private final Report report = new Report(this.results, new Machine("today", "abc", "a machine", List.of("Java")),
			List.of("a note"), true);

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
	void saysWhatTheFiguresMeanOnceAllOfThemAreThere() {
		this.results.work("POST, 64 connections", "jobs/s", null).add("rest-to-kafka", 20_000, 1, 1);
		this.results.work("NDJSON upload of 9 jobs", "jobs/s", null).add("rest-to-kafka", 100_000, 1, 1);

		assertThat(this.report.page()).doesNotContain("On this machine");

		this.results.work("Topic to mongod, 9 jobs", "jobs/s", null).add("kafka-to-mongo", 5_000, 1, 1);

		assertThat(this.report.page())
			.contains("takes 20,000 jobs/s by POST and 100,000 in an upload, and stores 5,000 in the database");
	}

}
