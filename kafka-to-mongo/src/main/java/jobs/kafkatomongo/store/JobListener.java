package jobs.kafkatomongo.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import jobs.contract.NotAJobException;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetterPublisher;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.document.JobParser;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.document.RecordTraces;
import jobs.kafkatomongo.outage.ListenerHealth;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

/**
 * Stores each batch of records, and puts what can't be stored into the dead-letter topic.
 * When {@code store} returns, the batch is safe and may be committed; when it throws, the
 * batch comes again.
 */
@Component
class JobListener {

	static final String ID = "jobs";

	/** A batch of fewer records is small: a pause follows, so that the next one grows. */
	private static final int FEW = 100;

	private static final long PAUSE_MILLIS = 5;

	private static final Logger logger = LoggerFactory.getLogger(JobListener.class);

	private final JobParser parser;

	private final JobInserts inserts;

	private final DeadLetterPublisher deadLetters;

	private final ListenerHealth health;

	private final StoreMetrics metrics;

	private final BatchTraces traces;

	JobListener(JobParser parser, JobInserts inserts, DeadLetterPublisher deadLetters, ListenerHealth health,
			StoreMetrics metrics, BatchTraces traces) {
		this.parser = parser;
		this.inserts = inserts;
		this.deadLetters = deadLetters;
		this.health = health;
		this.metrics = metrics;
		this.traces = traces;
	}

	@KafkaListener(id = ID, idIsGroup = false, topics = "${kafka-to-mongo.topic:jobs-topic1}", batch = "true")
	void store(List<ConsumerRecord<byte[], byte[]>> records) {
		long start = System.nanoTime();
		BatchTraces.Batch traces = this.traces.start(records);
		boolean isSafe = false;
		try {
			store(records, traces);
			isSafe = true;
		}
		finally {
			traces.end(isSafe);
		}
		this.health.stored();
		this.metrics.batch(records.size(), System.nanoTime() - start);
		if (records.size() < FEW) {
			gather();
		}
	}

	/**
	 * Lets jobs gather, because a batch for each job would take three times the CPU time.
	 * The first job after a while does not wait, nor does a consumer that is behind.
	 */
	private static void gather() {
		try {
			Thread.sleep(PAUSE_MILLIS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void store(List<ConsumerRecord<byte[], byte[]>> records, BatchTraces.Batch traces) {
		List<Job> jobs = new ArrayList<>(records.size());
		List<DeadLetter> refused = new ArrayList<>();
		for (ConsumerRecord<byte[], byte[]> record : records) {
			try {
				jobs.add(this.parser.parse(record));
			}
			catch (NotAJobException ex) {
				refused.add(new DeadLetter(record, ex));
			}
			catch (OutOfMemoryError | LinkageError ex) {
				throw new IllegalStateException("This process is not able to read any record", ex);
			}
			catch (RuntimeException | Error ex) {
				// parsing depends on the record alone: each retry would fail too, and
				// hold up all later records
				RecordTraces.name(logger.atError(), List.of(record))
					.setCause(ex)
					.addKeyValue("position", RecordPosition.of(record))
					.log("A record can't be read for a fault of this service");
				refused.add(new DeadLetter(record, DeadLetter.Reason.INTERNAL,
						"This service failed to read the value (%s); its log tells more at %s"
							.formatted(ex.getClass().getSimpleName(), RecordPosition.of(record)),
						null));
			}
		}
		Instant insert = Instant.now();
		refused.addAll(this.inserts.store(jobs));
		traces.inserted(insert);
		this.deadLetters.publish(refused);
	}

}
