package jobs.kafkatomongo.console;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jobs.kafkatomongo.lag.ConsumerLag;
import jobs.kafkatomongo.lag.LagSnapshot;
import org.jspecify.annotations.Nullable;

import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Takes a sample of the figures every two seconds, once for all consoles. What comes and
 * goes is Kafka's figure, of all instances; latencies and dead letters are those of this
 * instance.
 */
@Component
class Sampler {

	private final ConsumerLag backlog;

	private final MeterRegistry meters;

	private final History history = new History();

	private final Map<String, Double> deadLetters = new HashMap<>();

	private @Nullable LagSnapshot before;

	private Latencies latencies = Latencies.NONE;

	Sampler(ConsumerLag backlog, MeterRegistry meters) {
		this.backlog = backlog;
		this.meters = meters;
	}

	History history() {
		return this.history;
	}

	@Scheduled(fixedDelay = 2000)
	void sample() {
		LagSnapshot now = this.backlog.snapshot();
		if (this.before != null && now.isRecent() && now.at().equals(this.before.at())) {
			// Kafka is being asked
			return;
		}
		// without the timer, as where it is switched off, no latency is known
		Timer timer = this.meters.find("jobs.end.to.end").timer();
		Latencies latencies = (timer != null) ? Latencies.of(timer.takeSnapshot()) : Latencies.NONE;
		Double accepted = null;
		Double stored = null;
		if (this.before != null && now.isRecent()) {
			double seconds = Duration.between(this.before.at(), now.at()).toMillis() / 1000.0;
			long came = now.published() - this.before.published();
			accepted = rate(came, seconds);
			stored = rate(came - now.waiting() + this.before.waiting(), seconds);
		}
		this.history.add(new History.Sample(Instant.now(), accepted, stored, now.isRecent() ? now.waiting() : null,
				latencies.percentile(0.5, this.latencies), latencies.percentile(0.99, this.latencies),
				newDeadLetters()));
		this.latencies = latencies;
		this.before = now.isRecent() ? now : null;
	}

	/** A topic that was created again counts from 0. */
	private static @Nullable Double rate(long records, double seconds) {
		return (seconds > 0) ? Math.max(0, records / seconds) : null;
	}

	/** How many records became dead letters since the last call, by their reason. */
	private Map<String, Long> newDeadLetters() {
		Map<String, Long> added = new HashMap<>();
		for (Counter counter : this.meters.find("jobs.dead.letters").counters()) {
			String reason = String.valueOf(counter.getId().getTag("reason"));
			Double before = this.deadLetters.put(reason, counter.count());
			long more = Math.round(counter.count() - ((before != null) ? before : 0));
			if (more > 0) {
				added.put(reason, more);
			}
		}
		return added;
	}

}
