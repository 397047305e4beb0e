package jobs.kafkatomongo.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.mongodb.MongoException;
import jobs.contract.NotAJobException;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetterPublisher;
import jobs.kafkatomongo.document.Job;
import jobs.kafkatomongo.document.JobParser;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.document.RecordTraces;
import jobs.kafkatomongo.limits.Limits;
import jobs.kafkatomongo.outage.ListenerHealth;
import jobs.kafkatomongo.store.JobInserts.Attempt;
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
	}

	private void store(List<ConsumerRecord<byte[], byte[]>> records, BatchTraces.Batch traces) {
		List<DeadLetter> refused = new ArrayList<>();
		Instant insert = Instant.now();
		List<List<ConsumerRecord<byte[], byte[]>>> parts = parts(records);
		JobInserts.Batch batch = this.inserts.batch();
		if (parts.size() > 1) {
			storeParts(parts, batch, refused);
		}
		else {
			batch.settle(this.inserts.attempt(parse(records, refused)));
		}
		refused.addAll(batch.end());
		traces.inserted(insert);
		this.deadLetters.publish(refused);
	}

	private static List<List<ConsumerRecord<byte[], byte[]>>> parts(List<ConsumerRecord<byte[], byte[]>> records) {
		List<List<ConsumerRecord<byte[], byte[]>>> parts = new ArrayList<>();
		int from = 0;
		int bytes = 0;
		for (int i = 0; i < records.size(); i++) {
			bytes += (records.get(i).value() != null) ? records.get(i).value().length : 0;
			if (bytes >= Limits.PART_BYTES || i + 1 == records.size()) {
				parts.add(records.subList(from, i + 1));
				from = i + 1;
				bytes = 0;
			}
		}
		return parts;
	}

	/** Inserts the parts of a batch in turn, and parses each while one is inserted. */
	private void storeParts(List<List<ConsumerRecord<byte[], byte[]>>> parts, JobInserts.Batch batch,
			List<DeadLetter> refused) {
		// closing it waits for an insert that still runs
		try (ExecutorService inserting = Executors.newVirtualThreadPerTaskExecutor()) {
			CompletableFuture<Attempt> last = null;
			for (List<ConsumerRecord<byte[], byte[]>> part : parts) {
				List<Job> jobs = parse(part, refused);
				if (last != null) {
					batch.settle(last.join());
				}
				last = CompletableFuture.supplyAsync(() -> this.inserts.attempt(jobs), inserting);
			}
			batch.settle(Objects.requireNonNull(last).join());
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof MongoException failure) ? failure : ex;
		}
	}

	private List<Job> parse(List<ConsumerRecord<byte[], byte[]>> records, List<DeadLetter> refused) {
		List<Job> jobs = new ArrayList<>(records.size());
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
		return jobs;
	}

}
