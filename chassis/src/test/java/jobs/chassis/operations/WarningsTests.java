package jobs.chassis.operations;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A warning is told everywhere, and takes no service out of a balancer.
 */
@ExtendWith(OutputCaptureExtension.class)
class WarningsTests {

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final Warnings warnings = new Warnings(this.meters);

	private final Warnings.Warning warning = this.warnings.about("topic");

	@Test
	void isUnknownBeforeAnybodyHasLooked() {
		assertThat(gauge()).isNaN();
		assertThat(this.warnings.health().getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void isToldInTheReadinessTheMetricAndTheLog(CapturedOutput output) {
		this.warning.raise("Nobody reads the topic");
		this.warning.raise("Nobody reads the topic");

		assertThat(gauge()).isOne();
		assertThat(this.warnings.health().getStatus()).isEqualTo(Status.UP);
		assertThat(this.warnings.health().getDetails()).hasEntrySatisfying("topic",
				(details) -> assertThat(details.toString()).contains("Nobody reads the topic", "since"));
		assertThat(output.getAll().split("Nobody reads the topic", -1)).hasSize(2);
	}

	@Test
	void endsWhenNothingIsWrongAnyMore(CapturedOutput output) {
		this.warning.note("Nobody reads the topic");

		this.warning.note(null);

		assertThat(gauge()).isZero();
		assertThat(this.warnings.raised()).isEmpty();
		assertThat(output).contains("A warning has ended");
	}

	/** Nothing says that it was mended. */
	@Test
	void goesOnWhileNobodyCanTell() {
		this.warning.raise("Nobody reads the topic");

		this.warning.unknown();

		assertThat(gauge()).isOne();
		assertThat(this.warnings.raised()).hasSize(1);
	}

	private double gauge() {
		return this.meters.get("jobs.warning").tag("about", "topic").gauge().value();
	}

}
