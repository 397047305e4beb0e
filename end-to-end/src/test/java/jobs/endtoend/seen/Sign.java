package jobs.endtoend.seen;

import java.util.List;
import java.util.Map;
import java.util.function.DoublePredicate;

import org.jspecify.annotations.Nullable;

/**
 * What can tell people that something is wrong.
 */
public enum Sign {

	/** A service does not answer. */
	SILENT("no answer"),
	/** The readiness of a service is not UP. */
	NOT_READY("readiness `DOWN`"),
	/** A service says that Kafka is down. */
	KAFKA_DOWN(new Metric("jobs_part_up", "part=\"kafka\"", (value) -> value == 0), "0"),
	/** A service says that MongoDB is down. */
	MONGO_DOWN(new Metric("jobs_part_up", "part=\"mongo\"", (value) -> value == 0), "0"),
	/** A service says that a listener stopped or waits. */
	LISTENER_DOWN(new Metric("jobs_part_up", "part=\"listener\"", (value) -> value == 0), "0"),
	/** A listener does not run, or may not read. */
	LISTENER_STOPPED(new Metric("jobs_listener_running", "", (value) -> value == 0), "0"),
	/** A batch waits for its next try. */
	BATCH_WAITS(new Metric("jobs_back_off_seconds", "", (value) -> value > 0), "above 0"),
	/** A service warns of a stranger in the group. */
	WARNED_OF_STRANGER(new Metric("jobs_warning", "about=\"members-group-id-1\"", (value) -> value == 1), "1"),
	/** A service warns of a setting of the topic. */
	WARNED_OF_TOPIC(new Metric("jobs_warning", "about=\"settings-jobs-topic1\"", (value) -> value == 1), "1"),
	/** A service warns of a setting of the dead-letter topic. */
	WARNED_OF_DEAD_LETTER_TOPIC(new Metric("jobs_warning", "about=\"settings-jobs-topic1-dlt\"", (value) -> value == 1),
			"1"),
	/** Nobody knows what waits. */
	BACKLOG_UNKNOWN(new Metric("jobs_oldest_waiting_seconds", "", Double::isNaN), "`NaN`"),
	/** The alert of a service that does not answer. */
	JOBS_SERVICE_DOWN(new Alert("JobsServiceDown", Map.of(), true)),
	/** The alert of a service of which Prometheus sees none. */
	JOBS_SERVICE_GONE(new Alert("JobsServiceGone", Map.of(), false)),
	/** The alert of Kafka being away. */
	JOBS_KAFKA_DOWN(new Alert("JobsPartDown", Map.of("part", "kafka"), true)),
	/** The alert of MongoDB being away. */
	JOBS_MONGO_DOWN(new Alert("JobsPartDown", Map.of("part", "mongo"), true)),
	/** The alert of a listener that does not run. */
	JOBS_LISTENER_STOPPED(new Alert("JobsListenerStopped", Map.of(), true)),
	/** The alert of a batch that waits. */
	JOBS_BATCH_WAITS(new Alert("JobsBatchWaits", Map.of(), true)),
	/** The alert of a backlog that can't be measured. */
	JOBS_BACKLOG_UNKNOWN(new Alert("JobsBacklogUnknown", Map.of(), true)),
	/** The alert of requests that are answered 503. */
	JOBS_REFUSED(new Alert("JobsRefused", Map.of(), false)),
	/** The alert of a job that waits too long. */
	JOBS_WAIT_TOO_LONG(new Alert("JobsWaitTooLong", Map.of(), false)),
	/** The alert of a backlog that grows. */
	JOBS_LAG_GROWS(new Alert("JobsLagGrows", Map.of(), false)),
	/** The alert of dead letters. */
	JOBS_DEAD_LETTERS(new Alert("JobsDeadLetters", Map.of(), false)),
	/** The alert of records that nobody has read. */
	JOBS_DELETED_UNREAD(new Alert("JobsDeletedUnread", Map.of(), false)),
	/** The alert of something wrong around a service that works. */
	JOBS_WARNING(new Alert("JobsWarning", Map.of(), false)),
	/** The alert of instances that have different contracts. */
	JOBS_CONTRACTS_DIFFER(new Alert("JobsContractsDiffer", Map.of(), false));

	private final String text;

	private final @Nullable Metric metric;

	private final @Nullable Alert alert;

	Sign(String text) {
		this(text, null, null);
	}

	Sign(Metric metric, String condition) {
		this("`%s%s` %s".formatted(metric.name(), metric.label().isEmpty() ? "" : "{" + metric.label() + "}",
				condition), metric, null);
	}

	Sign(Alert alert) {
		this("`%s`%s".formatted(alert.name(),
				alert.labels().isEmpty() ? "" : " (%s)".formatted(String.join(", ", alert.labels().values()))), null,
				alert);
	}

	Sign(String text, @Nullable Metric metric, @Nullable Alert alert) {
		this.text = text;
		this.metric = metric;
		this.alert = alert;
	}

	/**
	 * The alert, or {@code null} for a sign that is none.
	 */
	@Nullable Alert alert() {
		return this.alert;
	}

	boolean isAlert() {
		return this.alert != null;
	}

	/**
	 * Whether one service has it, and not the pair as a whole.
	 */
	boolean isOfAService() {
		return this.alert == null || this.alert.ofAService();
	}

	/**
	 * Whether a service that is silent shows it.
	 */
	boolean isOfSilence() {
		return this == SILENT || this == JOBS_SERVICE_DOWN;
	}

	/**
	 * Whether it is there as long as jobs wait.
	 */
	boolean isOfABacklog() {
		return this == JOBS_WAIT_TOO_LONG || this == JOBS_LAG_GROWS;
	}

	/**
	 * Whether a service's page of metrics shows it.
	 */
	boolean isIn(List<String> metrics) {
		return this.metric != null && metrics.stream().anyMatch(this.metric::isIn);
	}

	/** As a document says it. */
	@Override
	public String toString() {
		return this.text;
	}

	/**
	 * A metric that tells.
	 *
	 * @param name its name
	 * @param label a label that it must have, or nothing
	 * @param tells which values tell
	 */
	private record Metric(String name, String label, DoublePredicate tells) {

		boolean isIn(String line) {
			return line.startsWith(this.name) && "{ ".indexOf(line.charAt(this.name.length())) >= 0
					&& line.contains(this.label)
					&& this.tells.test(Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)));
		}

	}

	/**
	 * An alert that tells.
	 *
	 * @param name its name
	 * @param labels labels that it must have
	 * @param ofAService whether it names an instance
	 */
	record Alert(String name, Map<String, String> labels, boolean ofAService) {

	}

}
