package jobs.kafkatomongo.consumption;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.kafka.TopicIds;
import jobs.chassis.operations.Warnings;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.scheduling.annotation.Scheduled;

/**
 * Keeps a second record of how far partitions are stored, as the offsets of a group that
 * nobody joins. Whoever else joins the group of this service commits over its offsets;
 * these tell then from where on to read again. They are written every ten seconds and
 * when partitions go to another consumer, so they are behind rather than ahead.
 */
public class StoredOffsets {

	private static final Logger logger = LoggerFactory.getLogger(StoredOffsets.class);

	private static final long TIMEOUT_SECONDS = 3;

	/** Kafka forgets what was not written for some days, so all is written so often. */
	private static final Duration AGAIN = Duration.ofHours(1);

	private final LazyAdmin admin;

	private final String group;

	private final Warnings.Warning warning;

	/** The last commits of this instance. */
	private final ConcurrentMap<TopicPartition, OffsetAndMetadata> commits = new ConcurrentHashMap<>();

	private Map<TopicPartition, OffsetAndMetadata> written = Map.of();

	private long allWritten = System.nanoTime();

	/** Keeps offsets as those of a group, and warns where it may not. */
	public StoredOffsets(LazyAdmin admin, String group, Warnings.Warning warning) {
		this.admin = admin;
		this.group = group;
		this.warning = warning;
	}

	/** Notes commits, which say that all before is stored. */
	void note(Map<TopicPartition, OffsetAndMetadata> commits) {
		commits.forEach((partition, commit) -> {
			if (TopicIds.isMarked(commit)) {
				this.commits.put(partition, commit);
			}
		});
	}

	/** Forgets partitions that another consumer has now. */
	void forget(Collection<TopicPartition> partitions) {
		partitions.forEach(this.commits::remove);
	}

	@Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
	public synchronized void write() {
		Map<TopicPartition, OffsetAndMetadata> now = Map.copyOf(this.commits);
		boolean isAll = System.nanoTime() - this.allWritten >= AGAIN.toNanos();
		Map<TopicPartition, OffsetAndMetadata> changed = new HashMap<>(now);
		if (!isAll) {
			changed.entrySet().removeAll(this.written.entrySet());
		}
		if (changed.isEmpty()) {
			return;
		}
		try {
			this.admin.get()
				.alterConsumerGroupOffsets(this.group, changed)
				.all()
				.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
			this.warning.clear();
			this.written = now;
			this.allWritten = isAll ? System.nanoTime() : this.allWritten;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (KafkaException | ExecutionException | TimeoutException ex) {
			if (ex.getCause() instanceof AuthorizationException) {
				this.warning
					.raise(("Kafka does not let this service write offsets of the group %s, so what a stranger in its"
							+ " own group commits would be passed over; give its principal READ on this group")
						.formatted(this.group));
			}
			else {
				this.warning.unknown();
			}
			logger.debug("How far partitions are stored can't be written now: {}", ex.toString());
		}
	}

	/**
	 * How far partitions were stored when that was last written; without the right to
	 * read the group it is not known. Throws KafkaException where Kafka does not answer.
	 */
	public Map<TopicPartition, OffsetAndMetadata> read() {
		try {
			return this.admin.get()
				.listConsumerGroupOffsets(this.group)
				.partitionsToOffsetAndMetadata()
				.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new KafkaException("Interrupted", ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof AuthorizationException) {
				return Map.of();
			}
			throw new KafkaException(ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new KafkaException(ex);
		}
	}

}
