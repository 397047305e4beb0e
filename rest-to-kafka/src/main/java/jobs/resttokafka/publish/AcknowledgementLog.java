package jobs.resttokafka.publish;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs whether Kafka acknowledges documents, with counts since the line before. With a
 * partition without a leader among others, refusals and acknowledgements alternate. So
 * each state has at most one line in ten seconds, and documents are acknowledged again
 * only when none was refused for as long.
 */
class AcknowledgementLog {

	private static final Logger logger = LoggerFactory.getLogger(AcknowledgementLog.class);

	private static final long PERIOD_NANOS = Duration.ofSeconds(10).toNanos();

	private final LongSupplier nanoTime;

	/** Documents acknowledged since the last line, counted while others are refused. */
	private final LongAdder acknowledged = new LongAdder();

	private volatile boolean failing;

	private volatile boolean acknowledgedSinceRefusal;

	private long refused;

	private long lastRefusal;

	private long lastLine;

	private @Nullable Throwable lastCause;

	AcknowledgementLog(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/** Notes that Kafka acknowledged a document. */
	void acknowledged() {
		if (this.failing) {
			this.acknowledged.increment();
			this.acknowledgedSinceRefusal = true;
		}
	}

	/** Notes that a document was refused, since Kafka did not acknowledge it. */
	synchronized void refused(Throwable cause) {
		this.refused++;
		this.lastRefusal = this.nanoTime.getAsLong();
		this.lastCause = cause;
		this.acknowledgedSinceRefusal = false;
		if (!this.failing) {
			this.failing = true;
			logFailure();
		}
	}

	/** Logs what is due; to be called every second or more often. */
	void logIfFailing() {
		if (this.failing) {
			logWhatIsDue();
		}
	}

	private synchronized void logWhatIsDue() {
		long now = this.nanoTime.getAsLong();
		if (this.acknowledgedSinceRefusal && now - this.lastRefusal >= PERIOD_NANOS) {
			this.failing = false;
			logger.atInfo()
				.addKeyValue("acknowledged", this.acknowledged.sumThenReset())
				.addKeyValue("refused", this.refused)
				.log("Kafka acknowledges documents again");
			this.refused = 0;
		}
		else if (this.refused > 0 && now - this.lastLine >= PERIOD_NANOS) {
			logFailure();
		}
	}

	private void logFailure() {
		logger.atWarn()
			.addKeyValue("acknowledged", this.acknowledged.sumThenReset())
			.addKeyValue("refused", this.refused)
			.log("Kafka does not acknowledge documents: {}", String.valueOf(this.lastCause));
		this.refused = 0;
		this.lastLine = this.nanoTime.getAsLong();
	}

}
