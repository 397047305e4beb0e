package jobs.resttokafka;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.common.errors.RecordTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.KafkaTemplate;

/**
 * Publishes jobs to Kafka and tells when Kafka has them: on all in-sync replicas.
 */
class Publisher {

	private static final Logger logger = LoggerFactory.getLogger(Publisher.class);

	private final KafkaTemplate<String, byte[]> kafka;

	private final RestToKafkaProperties properties;

	private volatile boolean failing;

	Publisher(KafkaTemplate<String, byte[]> kafka, RestToKafkaProperties properties) {
		this.kafka = kafka;
		this.properties = properties;
	}

	/**
	 * Hands a job to the producer, which may wait up to its {@code max.block.ms}.
	 * @param id the record's key
	 * @param job the record's value, as posted
	 * @return the job on its way
	 */
	Publication publish(String id, byte[] job) {
		long start = System.nanoTime();
		CompletableFuture<?> sent;
		try {
			// what Kafka has is not kept: the result would hold the job's bytes
			sent = this.kafka.send(this.properties.topic(), id, job).thenRun(() -> {
			});
		}
		catch (RuntimeException ex) {
			// send fails in two ways; this makes them one
			sent = CompletableFuture.failedFuture(ex);
		}
		return new Publication(sent, start);
	}

	/**
	 * A job on its way to Kafka.
	 */
	class Publication {

		private final CompletableFuture<?> sent;

		private final long start;

		Publication(CompletableFuture<?> sent, long start) {
			this.sent = sent;
			this.start = start;
		}

		/**
		 * Waits for Kafka's acknowledgement.
		 * @throws RefusedException 503 when it does not come in time (the job may still
		 * arrive), 413 when the topic does not take so large a record
		 */
		void await() {
			long left = Publisher.this.properties.publishTimeout().toNanos() - (System.nanoTime() - this.start);
			try {
				this.sent.get(Math.max(0, left), TimeUnit.NANOSECONDS);
				if (Publisher.this.failing) {
					Publisher.this.failing = false;
					logger.info("Kafka acknowledges jobs again");
				}
			}
			catch (ExecutionException ex) {
				throw refusal(NestedExceptionUtils.getMostSpecificCause(ex));
			}
			catch (TimeoutException ex) {
				throw refusal(ex);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw refusal(ex);
			}
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
