package jobs.kafkatomongo.figures;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The history keeps the last minutes and no more, and tells each console what it has not
 * seen.
 */
class HistoryTests {

	private static final Instant START = Instant.parse("2026-01-31T12:00:00Z");

	private final Sampler.History history = new Sampler.History();

	@Test
	void keepsNoMoreThanItsNumberOfSamples() {
		for (int i = 0; i < Sampler.History.HISTORY_SAMPLES + 5; i++) {
			add(START.plusMillis(i));
		}

		Sampler.History.Part all = this.history.after(0);

		assertThat(all.samples()).hasSize(Sampler.History.HISTORY_SAMPLES);
		assertThat(all.samples().getFirst().at()).isEqualTo(START.plusMillis(5));
		assertThat(all.count()).isEqualTo(Sampler.History.HISTORY_SAMPLES + 5);
	}

	@Test
	void keepsNothingThatIsTooOld() {
		add(START);
		add(START.plusSeconds(1));
		add(START.plus(Sampler.History.HISTORY_TIME).plusSeconds(1));

		assertThat(this.history.after(0).samples()).extracting(Sampler.History.Sample::at)
			.containsExactly(START.plusSeconds(1), START.plus(Sampler.History.HISTORY_TIME).plusSeconds(1));
	}

	@Test
	void tellsWhatCameSince() {
		add(START);
		add(START.plusSeconds(2));
		long seen = this.history.after(0).count();
		assertThat(this.history.after(seen).samples()).isEmpty();

		add(START.plusSeconds(4));

		assertThat(this.history.after(seen).samples()).extracting(Sampler.History.Sample::at)
			.containsExactly(START.plusSeconds(4));
	}

	@Test
	void beginsAnewWhenTheClockWasSetBack() {
		add(START);
		add(START.minus(Duration.ofHours(1)));

		assertThat(this.history.after(0).samples()).extracting(Sampler.History.Sample::at)
			.containsExactly(START.minus(Duration.ofHours(1)));
		assertThat(this.history.after(0).count()).isEqualTo(2);
	}

	private void add(Instant at) {
		this.history.add(new Sampler.History.Sample(at, 1.0, 1.0, 0L, null, null, Map.of()));
	}

}
