package jobs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import jobs.benchmarks.Results.Work;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** How many of each are recommended. */
class SizingTests {

	private final Results results = new Results();

	SizingTests() {
		add("POST, 64 connections", Contestants.REST, 20_000);
		add("POST to mongod, 10 jobs/s, p50", Contestants.BOTH, 12);
		add("POST to black hole, 10 jobs/s, p50", Contestants.BOTH, 2);
		add(ScaleRows.NEAR, Contestants.STORE, 100_000);
		add(ScaleRows.IDLE, Contestants.BOTH, 2);
		add(ScaleRows.PUBLISHED, Contestants.BOTH, 1);
	}

	private void add(String name, String who, double value) {
		Work work = this.results.work(name, "", null);
		work.add(who, value, Double.NaN, Double.NaN);
	}

	@Test
	void takesMoreShardsWhereTheDatabaseIsTheBottleneck() {
		String table = new Sizing(this.results, 20_000, List.of(Duration.ofMillis(1))).table();

		assertThat(table).contains("| 100 | 1.00 ms | 1 | 6 | 1 | 1 |")
			.containsPattern("\\| 30,000 \\| 1.00 ms \\| 3 \\| 6 \\| \\d+ \\| 2 \\|")
			.containsPattern("\\| 100,000 \\| 1.00 ms \\| 10 \\| \\d+ \\| \\d+ \\| 6 \\|");
	}

	@Test
	void saysWhereNothingSuffices() {
		String table = new Sizing(this.results, 1_000, List.of(Duration.ZERO)).table();

		assertThat(table).contains("| 300,000 | 0.00 ms | 30 | | | more than 64 | | |");
	}

	@Test
	void saysWhereTheDatabaseIsTooFarAway() {
		String table = new Sizing(this.results, 20_000, List.of(Duration.ofMillis(300))).table();

		assertThat(table).contains("| 100 | 300 ms | 1 | | | | | above 250 ms |");
	}

	@Test
	void needsTheFiguresOfAWholeRun() {
		assertThatIllegalStateException().isThrownBy(new Sizing(new Results(), 20_000, List.of(Duration.ZERO))::table)
			.withMessageContaining("POST, 64 connections");
	}

	@Test
	void isInTheManualAsTheLastWholeRunMadeIt() throws IOException {
		String page = Files.readString(Path.of("../docs/performance.md"));

		assertThat(page).contains("| 300,000 |");
		assertThat(Sizing.shown(Results.read(Path.of("benchmark.json")), page)).isEqualTo(page);
	}

	@Test
	void fillsAPlaceThatIsEmpty() {
		assertThat(Sizing.shown(this.results, "A\n<!-- sizing 20000 300 -->\n<!-- /sizing -->\nB\n"))
			.contains("-->\n| jobs/s |", "| 100 | 300 ms | 1 | | | | | above 250 ms |", "<!-- /sizing -->\nB\n");
	}

}
