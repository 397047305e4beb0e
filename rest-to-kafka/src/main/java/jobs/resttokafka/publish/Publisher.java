package jobs.resttokafka.publish;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import jobs.chassis.kafka.RequiredTopics;
import jobs.chassis.kafka.Sender;
import jobs.chassis.kafka.TopicSettings;
import jobs.contract.HeaderNames;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.RestToKafkaProperties;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.kafka.autoconfigure.DefaultKafkaProducerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Publishes documents to Kafka and tells when all in-sync replicas have them. */
@Component
public class Publisher {

	/**
	 * Milliseconds that a document waits for Kafka's producer to be made; beyond: 503.
	 */
	private static final int PRODUCER_MILLIS = 500;

	private final Sender<String, byte[]> sender;

	private final RestToKafkaProperties properties;

	/** What the documents of a resource need on their way, by topic. */
	private final Map<String, Route> routes;

	/**
	 * Documents whose acknowledgement a request awaits, in the order in which the waits
	 * began. One sweep over them costs nothing that can be measured. A time-out for each
	 * wait costs a POST 13 % of its CPU time as {@code orTimeout}, and 40 % as a timed
	 * {@code get}.
	 */
	private final Queue<Publication> awaited = new ConcurrentLinkedQueue<>();

	private final AcknowledgementLog log = new AcknowledgementLog(System::nanoTime);

	public Publisher(ProducerFactory<String, byte[]> kafka, RestToKafkaProperties properties, Resources resources,
			MeterRegistry meters) {
		this.sender = new Sender<>(kafka, Duration.ofMillis(PRODUCER_MILLIS));
		this.properties = properties;
		this.routes = resources.all()
			.stream()
			.collect(Collectors.toUnmodifiableMap(Resource::topic, (resource) -> route(resource, resources, meters)));
	}

	private static Route route(Resource resource, Resources resources, MeterRegistry meters) {
		Timer acknowledgement = Timer.builder("jobs.acknowledgement")
			.description("From handing a document to the producer to Kafka's acknowledgement")
			.tags(resources.labels(resource))
			.register(meters);
		String advice = resource.hasOwnIds() ? "sent again, it counts once"
				: "sent again with the same Idempotency-Key, it is stored once";
		return new Route(resource.noun(), advice, acknowledgement,
				resources.isFile() ? resource.contract().digest().getBytes(StandardCharsets.US_ASCII) : null);
	}

	/**
	 * Hands a document as posted to the producer, which may block for its
	 * {@code max.block.ms}; the id becomes the record's key.
	 */
	public Publication publish(Resource resource, String id, byte[] document, Origin origin) {
		Route route = Objects.requireNonNull(this.routes.get(resource.topic()));
		ProducerRecord<String, byte[]> record = new ProducerRecord<>(resource.topic(), id, document);
		origin.addTo(record.headers());
		if (route.contract() != null) {
			record.headers().add(HeaderNames.CONTRACT, route.contract());
		}
		return publish(record, route);
	}

	/**
	 * Hands a record without a value to the producer, which deletes the document of an
	 * id: all of its versions up to this one.
	 */
	public Publication publishDeletion(Resource resource, String id, long version, Origin origin) {
		ProducerRecord<String, byte[]> record = new ProducerRecord<>(resource.topic(), id, null);
		origin.addTo(record.headers());
		record.headers().add(HeaderNames.VERSION, Long.toString(version).getBytes(StandardCharsets.US_ASCII));
		return publish(record, Objects.requireNonNull(this.routes.get(resource.topic())));
	}

	private Publication publish(ProducerRecord<String, byte[]> record, Route route) {
		Publication publication = new Publication(route, record.key(), record.value() == null, System.nanoTime());
		this.sender.send(record, (metadata, failure) -> publication.complete(failure));
		return publication;
	}

	/** Makes the producer before the first document needs it. */
	@EventListener(ApplicationReadyEvent.class)
	void makeProducer() {
		this.sender.makeProducer();
	}

	/**
	 * Ends waits whose time is up. The producer ends them later while its own thread is
	 * held up, as by a slow look-up of a broker's name.
	 */
	@Scheduled(fixedDelay = 50)
	void endOverdueWaits() {
		this.awaited.removeIf(Publication::endWait);
		this.log.logIfFailing();
	}

	/**
	 * What the documents of a resource need on their way.
	 *
	 * @param noun what one of them is called
	 * @param advice what a client may do that does not know whether Kafka has one
	 * @param acknowledgement from handing a document to the producer to Kafka's
	 * acknowledgement
	 * @param contract the digest of the contract that they keep, where a file names it
	 */
	private record Route(String noun, String advice, Timer acknowledgement, byte @Nullable [] contract) {
	}

	/** A document on its way to Kafka; a second future for it would cost some CPU. */
	public final class Publication {

		private final CompletableFuture<Void> sent = new CompletableFuture<>();

		/** Ends with {@link #sent}, or before it when the time is up. */
		private CompletableFuture<Void> answer = this.sent;

		private final Route route;

		private final boolean isDeletion;

		private final String id;

		private final long start;

		private Publication(Route route, String id, boolean isDeletion, long start) {
			this.route = route;
			this.isDeletion = isDeletion;
			this.id = id;
			this.start = start;
		}

		/** The id of the document. */
		public String id() {
			return this.id;
		}

		private void complete(@Nullable Exception failure) {
			if (failure != null) {
				this.sent.completeExceptionally(failure);
				return;
			}
			this.route.acknowledgement().record(System.nanoTime() - this.start, TimeUnit.NANOSECONDS);
			this.sent.complete(null);
		}

		/**
		 * Waits for Kafka's acknowledgement, until {@code publish-timeout} after the
		 * document was handed to the producer. Throws RefusedException when none comes
		 * (the document may still arrive), or when the record is too large for the topic.
		 */
		public void await() {
			try {
				if (!this.sent.isDone()) {
					this.answer = this.sent.copy();
					Publisher.this.awaited.add(this);
				}
				this.answer.get();
				Publisher.this.log.acknowledged();
			}
			catch (ExecutionException ex) {
				throw refusal(NestedExceptionUtils.getMostSpecificCause(ex));
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw refusal(ex);
			}
		}

		/** Ends the wait if its time is up, and returns whether nobody waits any more. */
		private boolean endWait() {
			if (System.nanoTime() - this.start >= Publisher.this.properties.publishTimeout().toNanos()) {
				this.answer.completeExceptionally(new TimeoutException("No acknowledgement in time"));
			}
			return this.answer.isDone();
		}

		/**
		 * Runs an action once Kafka has acknowledged or refused the document, within
		 * {@code delivery.timeout.ms}. Until then the producer holds the document's
		 * bytes.
		 */
		public void whenDone(Runnable action) {
			this.sent.whenComplete((result, failure) -> action.run());
		}

		/** Whether the publication has failed by now. */
		public boolean hasFailed() {
			return this.sent.isCompletedExceptionally();
		}

		private RefusedException refusal(Throwable cause) {
			if (Sender.isTooLarge(cause)) {
				return new RefusedException(Reason.TOO_LARGE,
						"The topic does not take so large a " + this.route.noun());
			}
			Publisher.this.log.refused(cause);
			return new RefusedException(Reason.NOT_ACKNOWLEDGED,
					"Kafka did not acknowledge the %s in time, and may still get it; %s"
						.formatted(this.isDeletion ? "deletion" : this.route.noun(), this.route.advice()));
		}

	}

	/** Sets up the producer and the topic. */
	@Configuration(proxyBeanMethods = false)
	static class PublishConfiguration {

		/** Bytes of a record beside the document that count for the bound of a topic. */
		private static final int AROUND_A_JOB = 1024;

		/** The same where a document may be a CloudEvent. */
		private static final int AROUND_AN_EVENT = 9 * 1024;

		/** Bytes of a record beside the document: key, headers and Kafka's own. */
		private static final int BESIDE_A_JOB = 64 * 1024;

		/**
		 * Bytes of a request that takes batches of several partitions, also where
		 * documents are small: the next request waits for its answer.
		 */
		private static final int REQUEST = 1024 * 1024;

		@Bean
		RequiredTopics topics(Resources resources, RestToKafkaProperties properties) {
			int around = resources.isFile() ? AROUND_AN_EVENT : AROUND_A_JOB;
			return new RequiredTopics(resources.all()
				.stream()
				.map((resource) -> List.of(topic(resource, resource.maxSize() + around, properties)))
				.toList());
		}

		private static TopicSettings topic(Resource resource, int recordBytes, RestToKafkaProperties properties) {
			return new TopicSettings(resource.topic(), properties.partitions(), properties.replication(), recordBytes,
					TopicSettings.records(properties.retention(), recordBytes));
		}

		@Bean
		DefaultKafkaProducerFactoryCustomizer recordsOfTheSizeOfADocument(Resources resources) {
			int largest = resources.all().stream().mapToInt(Resource::maxSize).max().orElseThrow();
			int size = Math.max(REQUEST, largest + BESIDE_A_JOB);
			return (factory) -> {
				long memory = Long.parseLong(String.valueOf(
						factory.getConfigurationProperties().getOrDefault(ProducerConfig.BUFFER_MEMORY_CONFIG, 0)));
				// a document must fit, and not wait until the one before it has left
				factory.updateConfigs(Map.of(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, size,
						ProducerConfig.BUFFER_MEMORY_CONFIG, Math.max(memory, 2L * size)));
			};
		}

	}

}
