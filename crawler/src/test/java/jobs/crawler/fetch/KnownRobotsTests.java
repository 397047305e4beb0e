package jobs.crawler.fetch;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;

import crawlercommons.robots.SimpleRobotRules;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KnownRobotsTests {

	private static final Instant NOW = Instant.parse("2026-11-28T12:00:00Z");

	private final KnownRobots known = new KnownRobots();

	@Test
	void remembersManySites() {
		for (int i = 0; i < 10_000; i++) {
			this.known.put("https://%d.example".formatted(i), Robots.none(NOW));
		}
		assertThat(this.known.get("https://0.example", NOW)).isNotNull();
	}

	@Test
	void forgetsWhatWasUsedLeastWhereTheRulesAreMany() {
		Robots half = rules(KnownRobots.MAX_RULES / 2 - 10);
		this.known.put("https://one.example", half);
		this.known.put("https://two.example", half);
		this.known.get("https://one.example", NOW);
		this.known.put("https://three.example", half);
		assertThat(this.known.get("https://one.example", NOW)).isSameAs(half);
		assertThat(this.known.get("https://two.example", NOW)).isNull();
		assertThat(this.known.get("https://three.example", NOW)).isSameAs(half);
	}

	@Test
	void keepsASiteThatIsTooLargeForAllOthers() {
		Robots huge = rules(KnownRobots.MAX_RULES + 1);
		this.known.put("https://one.example", Robots.none(NOW));
		this.known.put("https://huge.example", huge);
		assertThat(this.known.get("https://one.example", NOW)).isNull();
		assertThat(this.known.get("https://huge.example", NOW)).isSameAs(huge);
	}

	@Test
	void forgetsAfterADay() {
		this.known.put("https://one.example", Robots.none(NOW));
		assertThat(this.known.get("https://one.example", NOW.plus(Duration.ofHours(23)))).isNotNull();
		assertThat(this.known.get("https://one.example", NOW.plus(Duration.ofHours(25)))).isNull();
	}

	private static Robots rules(int count) {
		PathPattern pattern = PathPattern.of("/a");
		return new Robots(new SimpleRobotRules(), Collections.nCopies(count, new Robots.Path(pattern, pattern, true)),
				NOW, null);
	}

}
