package jobs.resttokafka;

import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Publishes jobs to Kafka and tells when Kafka has them: on all in-sync replicas.
 */
class Publisher {

	private static final Logger logger = LoggerFactory.getLogger(Publisher.class);

	private final KafkaTemplate<String, byte[]> kafka;

	private final RestToKafkaProperties properties;

	private final JobMetrics metrics;

	/**
	 * The oldest first. A wait that has a time-out of its own costs a virtual thread a
	 * timer, and that a seventh of all CPU time of this service.
	 */
	private final Queue<Publication> awaited = new ConcurrentLinkedQueue<>();

	private volatile boolean failing;

	Publisher(KafkaTemplate<String, byte[]> kafka, RestToKafkaProperties properties, JobMetrics metrics) {
		this.kafka = kafka;
		this.properties = properties;
		this.metrics = metrics;
	}

	/**
	 * Hands a job to the producer, which may wait up to its {@code max.block.ms}.
	 * @param id the record's key
	 * @param job the record's value, as posted
	 * @param traceparent the trace that it belongs to, if it does
	 * @return the job on its way
	 */
	Publication publish(String id, byte[] job, @Nullable String traceparent) {
		long start = System.nanoTime();
		CompletableFuture<Void> sent;
		try {
			// what Kafka has is not kept: the result would hold the job's bytes
			ProducerRecord<String, byte[]> record = new ProducerRecord<>(this.properties.topic(), id, job);
			if (traceparent != null) {
				record.headers().add(Tracing.HEADER, traceparent.getBytes(StandardCharsets.US_ASCII));
			}
			sent = this.kafka.send(record).thenRun(() -> this.metrics.acknowledged(start));
		}
		catch (RuntimeException ex) {
			// send fails in two ways; this makes them one
			sent = CompletableFuture.failedFuture(ex);
		}
		return new Publication(sent, start);
	}

	/**
	 * Ends waits whose time is up.
	 */
	@Scheduled(fixedDelay = 50)
	void endOverdueWaits() {
		for (Publication oldest = this.awaited.peek(); oldest != null
				&& oldest.endWait(); oldest = this.awaited.peek()) {
			this.awaited.remove();
		}
	}

	/**
	 * A job on its way to Kafka.
	 */
	class Publication {

		private final CompletableFuture<Void> sent;

		/** Ends without {@link #sent} when the time is up. */
		private final CompletableFuture<Void> answer;

		private final long start;

		Publication(CompletableFuture<Void> sent, long start) {
			this.sent = sent;
			this.answer = sent.copy();
			this.start = start;
		}

		/**
		 * Waits for Kafka's acknowledgement.
		 * @throws RefusedException 503 when it does not come in time (the job may still
		 * arrive), 413 when the topic does not take so large a record
		 */
		void await() {
			try {
				if (!this.answer.isDone()) {
					Publisher.this.awaited.add(this);
				}
				this.answer.get();
				if (Publisher.this.failing) {
					Publisher.this.failing = false;
					logger.info("Kafka acknowledges jobs again");
				}
			}
			catch (ExecutionException ex) {
				throw refusal(NestedExceptionUtils.getMostSpecificCause(ex));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw refusal(ex);
			}
		}

		/**
		 * Ends a wait for this job if its time is up.
		 * @return whether nobody waits any more
		 */
		private boolean endWait() {
			if (System.nanoTime() - this.start >= Publisher.this.properties.publishTimeout().toNanos()) {
				this.answer.completeExceptionally(new TimeoutException("No acknowledgement in time"));
			}
			return this.answer.isDone();
		}

		/**
		 * Does something as soon as Kafka has acknowledged or refused the job, which it
		 * does within {@code delivery.timeout.ms}.
		 */
		void whenDone(Runnable action) {
			this.sent.whenComplete((result, failure) -> action.run());
		}

		boolean hasFailed() {
			return this.sent.isCompletedExceptionally();
		}

		private RefusedException refusal(Throwable cause) {
			if (cause instanceof RecordTooLargeException) {
				return new RefusedException(413, "The topic does not take so large a job");
			}
			if (!Publisher.this.failing) {
				Publisher.this.failing = true;
				logger.warn("Kafka does not acknowledge jobs: {}", cause.toString());
			}
			return RefusedException.unavailable("Kafka did not acknowledge the job in time; it is safe to send it again"
					+ " with the same Idempotency-Key");
		}

	}

}
