package jobs.crawler;

import java.time.Duration;

import jobs.crawler.HostCrawl.Visited;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HostHealthTests {

	private final HostHealth health = new HostHealth(Duration.ofHours(1));

	@Test
	void leavesAHostThatAnswersWithErrors() {
		note(Visited.FAILED, 199);
		assertThat(this.health.reasonToLeave()).isNull();
		this.health.note(Visited.FAILED, false);
		this.health.note(Visited.LEFT, true);
		assertThat(this.health.reasonToLeave()).isNull();

		note(Visited.SILENT, 1);
		assertThat(this.health.reasonToLeave()).isEqualTo("the host answers with errors");
	}

	@Test
	void goesOnWithAHostThatAnswersNowAndThen() {
		note(Visited.FAILED, 199);
		note(Visited.ANSWERED, 1);
		note(Visited.FAILED, 199);
		assertThat(this.health.reasonToLeave()).isNull();
	}

	@Test
	void leavesAHostWhoseTimeIsOver() {
		assertThat(new HostHealth(Duration.ZERO).reasonToLeave()).isEqualTo("the time of the host is over");
	}

	private void note(Visited visited, int times) {
		for (int i = 0; i < times; i++) {
			this.health.note(visited, true);
		}
	}

}
