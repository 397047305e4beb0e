package jobs.endtoend.chaos;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A run without faults: whatever tells of a fault is a false alarm.
 */
@Tag("long")
class QuietTests {

	@Test
	@Timeout(value = 20, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
	void showsNoFaultWhereThereIsNone() throws Exception {
		assertThat(new Chaos(4000, 0, Duration.ofSeconds(60), 42, false).run()).isEmpty();
	}

}
