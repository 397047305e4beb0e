package jobs.kafkatomongo;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.kafka.annotation.KafkaListener;

/**
 * The loop: parse a batch, store it, put what can't be stored into the dead-letter topic.
 * When it returns, the batch is safe and its offsets may be committed; when it throws,
 * the same batch comes again.
 */
class JobListener {

	static final String ID = "jobs";

	private static final int FEW = 100;

	private static final long PAUSE_MILLIS = 5;

	private static final Logger logger = LoggerFactory.getLogger(JobListener.class);

	private final JobParser parser;

	private final JobStore store;

	private final DeadLetterPublisher deadLetters;

	private final ListenerHealth health;

	private final JobMetrics metrics;

	private final BatchTraces traces;

	JobListener(JobParser parser, JobStore store, DeadLetterPublisher deadLetters, ListenerHealth health,
			JobMetrics metrics, BatchTraces traces) {
		this.parser = parser;
		this.store = store;
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
	 * Lets some jobs come together: a batch for each of them would take thrice the CPU
	 * time. The first after a while does not wait, and a consumer that is behind neither.
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
			catch (BadJobException ex) {
				refused.add(new DeadLetter(record, ex));
			}
			catch (RuntimeException ex) {
				// parsing depends on the record alone: another try would fail, too, and
				// halt everything
				BatchTraces.name(logger.atError(), List.of(record))
					.setCause(ex)
					.addKeyValue("position", JobParser.position(record))
					.log("A fault of ours");
				refused.add(new DeadLetter(record, DeadLetter.Reason.CONTRACT, "The value can't be read", null));
			}
		}
		Instant insert = Instant.now();
		refused.addAll(this.store.store(jobs));
		traces.inserted(insert);
		this.deadLetters.publish(refused);
	}

}
