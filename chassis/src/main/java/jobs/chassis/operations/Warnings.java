package jobs.chassis.operations;

import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * What somebody should mend although the service is ready. Each warning is a sentence
 * with its time in the details of the readiness, which stays UP, a metric
 * {@code jobs.warning}, and a line in the log when it begins, changes and ends.
 */
public final class Warnings implements HealthIndicator {

	private static final Logger logger = LoggerFactory.getLogger(Warnings.class);

	private final MeterRegistry meters;

	private final ConcurrentMap<String, Warning> all = new ConcurrentHashMap<>();

	/** Makes one that shows its warnings as gauges of {@code meters}. */
	public Warnings(MeterRegistry meters) {
		this.meters = meters;
	}

	/**
	 * What may be warned of, by its name in details and metrics. It is unknown until
	 * somebody has looked.
	 */
	public Warning about(String name) {
		return this.all.computeIfAbsent(name, (_) -> {
			Warning warning = new Warning(name);
			Gauge.builder("jobs.warning", warning, Warning::value)
				.description("1 while the readiness has a warning of this name, NaN while nobody can tell")
				.tag("about", name)
				.register(this.meters);
			return warning;
		});
	}

	/** The warnings that hold now, the oldest first. */
	public List<Raised> raised() {
		return this.all.values()
			.stream()
			.flatMap((warning) -> Stream.ofNullable(warning.raised))
			.sorted(Comparator.comparing(Raised::since))
			.toList();
	}

	@Override
	public Health health() {
		Map<String, Object> details = new LinkedHashMap<>();
		raised().forEach((one) -> details.put(one.about(), Map.of("reason", one.reason(), "since", one.since())));
		return Health.up().withDetails(details).build();
	}

	/** One thing that may be warned of. One thread at a time looks at it. */
	public static final class Warning {

		private final String name;

		private volatile boolean isKnown;

		private volatile @Nullable Raised raised;

		private Warning(String name) {
			this.name = name;
		}

		/** Notes a sentence that says what is wrong, whom it concerns and what to do. */
		public void raise(String sentence) {
			// it may quote what somebody else chose
			String reason = OneLine.of(sentence);
			Raised before = this.raised;
			this.isKnown = true;
			if (before == null || !before.reason().equals(reason)) {
				this.raised = new Raised(this.name, reason, (before != null) ? before.since() : Instant.now());
				logger.atWarn().addKeyValue("about", this.name).log(reason);
			}
		}

		/** Notes that nothing is wrong. */
		public void clear() {
			this.isKnown = true;
			if (this.raised != null) {
				this.raised = null;
				logger.atInfo().addKeyValue("about", this.name).log("A warning has ended");
			}
		}

		/** Raises the warning with a sentence, or clears it where there is none. */
		public void note(@Nullable String reason) {
			if (reason != null) {
				raise(reason);
			}
			else {
				clear();
			}
		}

		/**
		 * Notes that nobody can tell now. A warning that holds goes on, since nothing
		 * says that it was mended.
		 */
		public void unknown() {
			this.isKnown = false;
		}

		private double value() {
			if (this.raised != null) {
				return 1;
			}
			return this.isKnown ? 0 : Double.NaN;
		}

	}

	/**
	 * A warning that holds.
	 *
	 * @param about its name
	 * @param reason a sentence
	 * @param since when it began
	 */
	public record Raised(String about, String reason, Instant since) {

	}

}
