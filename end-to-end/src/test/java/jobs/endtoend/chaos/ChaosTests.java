package jobs.endtoend.chaos;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The chaos run, short by default, longer by the command {@code end-to-end/chaos}: no job
 * is lost, doubled or changed, and every fault is seen.
 */
@Tag("long")
@Tag("mongod")
class ChaosTests {

	/**
	 * Of some thousand seeds, one of those whose faults hide each other least: seven of
	 * its fifteen must be seen, where two are in the mean.
	 */
	private static final long SEED = 2135015;

	/** The limit is there for a run that hangs. */
	@Test
	@Timeout(value = 3, unit = TimeUnit.HOURS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void losesDoublesAndChangesNothing() throws Exception {
		Chaos chaos = new Chaos(Integer.getInteger("chaos.jobs", 20_000), Integer.getInteger("chaos.faults", 15),
				Duration.ofSeconds(Integer.getInteger("chaos.every", 10)), Long.getLong("chaos.seed", SEED),
				Boolean.getBoolean("chaos.locked"), Boolean.getBoolean("chaos.resources"));

		assertThat(chaos.run()).isEmpty();
	}

}
