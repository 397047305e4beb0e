package jobs.resttokafka.publish;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.ScriptedKafka;
import jobs.resttokafka.TestResources;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PublisherTests {

	private static final int SIZE = 1 << 18;

	private static final Resource JOBS = TestResources.jobs(SIZE);

	private static final Duration PUBLISH_TIMEOUT = Duration.ofMillis(300);

	private final CompletableFuture<RecordMetadata> sent = new CompletableFuture<>();

	private final ScriptedKafka kafka = new ScriptedKafka(() -> this.sent);

	/**
	 * As while the resolver of names hangs: the client looks up its brokers when it is
	 * made, and Spring's factory has the others wait for it without end.
	 */
	@Test
	void refusesInTimeWhileTheProducerIsBeingMade() throws Exception {
		CountDownLatch resolved = new CountDownLatch(1);
		AtomicInteger attempts = new AtomicInteger();
		Publisher publisher = new Publisher(() -> {
			attempts.incrementAndGet();
			await(resolved);
			return this.kafka.createProducer();
		}, properties(), TestResources.of(SIZE), new SimpleMeterRegistry());
		long start = System.nanoTime();
		List<Thread> clients = new ArrayList<>();
		Queue<Reason> refusals = new ConcurrentLinkedQueue<>();

		for (int i = 0; i < 20; i++) {
			clients.add(Thread.startVirtualThread(() -> assertThatExceptionOfType(RefusedException.class)
				.isThrownBy(publisher.publish(JOBS, "id", new byte[1], new Origin(null, Map.of()))::await)
				.satisfies((refusal) -> refusals.add(refusal.reason()))));
		}
		for (Thread client : clients) {
			client.join();
		}

		assertThat(refusals).hasSize(20).containsOnly(Reason.NOT_ACKNOWLEDGED);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
		assertThat(attempts).hasValue(1);

		resolved.countDown();
		this.sent.complete(null);
		publisher.publish(JOBS, "id", new byte[1], new Origin(null, Map.of())).await();
	}

	@Test
	void makesTheProducerAgainAfterAFailure() {
		AtomicBoolean first = new AtomicBoolean(true);
		Publisher publisher = new Publisher(() -> {
			if (first.getAndSet(false)) {
				throw new KafkaException("No name");
			}
			return this.kafka.createProducer();
		}, properties(), TestResources.of(SIZE), new SimpleMeterRegistry());
		this.sent.complete(null);

		assertThatExceptionOfType(RefusedException.class)
			.isThrownBy(publisher.publish(JOBS, "id", new byte[1], new Origin(null, Map.of()))::await);

		publisher.publish(JOBS, "id", new byte[1], new Origin(null, Map.of())).await();
	}

	/** As one is that sent nothing although Kafka answered. */
	@Test
	void publishesWithTheNextProducerWhereOneWasClosed() {
		Queue<MockProducer<String, byte[]>> made = new ConcurrentLinkedQueue<>();
		Publisher publisher = new Publisher(() -> {
			MockProducer<String, byte[]> next = new MockProducer<>(true, null, new StringSerializer(),
					new ByteArraySerializer());
			made.add(next);
			return next;
		}, properties(), TestResources.of(SIZE), new SimpleMeterRegistry());
		publisher.publish(JOBS, "first", new byte[1], new Origin(null, Map.of())).await();

		made.element().close();
		publisher.publish(JOBS, "second", new byte[1], new Origin(null, Map.of())).await();

		assertThat(made.stream().map((one) -> one.history().getFirst().key())).containsExactly("first", "second");
	}

	@Test
	void refusesInTimeWhileTheNextProducerIsBeingMade() {
		CountDownLatch resolved = new CountDownLatch(1);
		MockProducer<String, byte[]> closed = new MockProducer<>(true, null, new StringSerializer(),
				new ByteArraySerializer());
		closed.close();
		AtomicInteger attempts = new AtomicInteger();
		Publisher publisher = new Publisher(() -> {
			if (attempts.incrementAndGet() == 1) {
				return closed;
			}
			await(resolved);
			return this.kafka.createProducer();
		}, properties(), TestResources.of(SIZE), new SimpleMeterRegistry());

		for (int i = 0; i < 2; i++) {
			assertThatExceptionOfType(RefusedException.class)
				.isThrownBy(publisher.publish(JOBS, "id", new byte[1], new Origin(null, Map.of()))::await)
				.satisfies((refusal) -> assertThat(refusal.reason()).isEqualTo(Reason.NOT_ACKNOWLEDGED));
		}

		assertThat(attempts).hasValue(2);
		resolved.countDown();
		this.sent.complete(null);
		publisher.publish(JOBS, "id", new byte[1], new Origin(null, Map.of())).await();
	}

	@Test
	void endsAWaitInTimeThoughTheProducerStillTries() {
		new ApplicationContextRunner().withBean(Resources.class, () -> TestResources.of(SIZE))
			.withBean(RestToKafkaProperties.class, PublisherTests::properties)
			.withBean(Publisher.class,
					() -> new Publisher(this.kafka, properties(), TestResources.of(SIZE), new SimpleMeterRegistry()))
			.withUserConfiguration(Scheduling.class)
			.run((context) -> {
				Publisher.Publication job = context.getBean(Publisher.class)
					.publish(JOBS, "id", new byte[1], new Origin(null, Map.of()));
				AtomicBoolean done = new AtomicBoolean();
				job.whenDone(() -> done.set(true));

				assertThatExceptionOfType(RefusedException.class).isThrownBy(job::await)
					.satisfies((refusal) -> assertThat(refusal.reason()).isEqualTo(Reason.NOT_ACKNOWLEDGED));

				// the producer still holds its bytes
				assertThat(done).isFalse();
				this.sent.complete(null);
				assertThat(done).isTrue();
			});
	}

	@ParameterizedTest
	@CsvSource({ "jobs, job", "orders, document" })
	void callsADocumentByItsName(String name, String noun) {
		Resource resource = TestResources.named(name);
		Publisher publisher = new Publisher(this.kafka, properties(), new Resources(List.of(resource), true),
				new SimpleMeterRegistry());
		Queue<Exception> failures = new ConcurrentLinkedQueue<>(
				List.of(new RecordTooLargeException(), new NotLeaderOrFollowerException("nobody leads")));
		this.kafka.follow(() -> CompletableFuture.failedFuture(failures.remove()));

		assertThatExceptionOfType(RefusedException.class)
			.isThrownBy(publisher.publish(resource, "id", new byte[1], new Origin(null, Map.of()))::await)
			.withMessage("The topic does not take so large a " + noun);
		assertThatExceptionOfType(RefusedException.class)
			.isThrownBy(publisher.publish(resource, "id", new byte[1], new Origin(null, Map.of()))::await)
			.withMessageStartingWith("Kafka did not acknowledge the %s in time".formatted(noun));
	}

	/** No Idempotency-Key is needed where documents have their own ids. */
	@Test
	void callsADeletionByItsName() {
		Resource orders = TestResources.named("orders");
		Publisher publisher = new Publisher(this.kafka, properties(), new Resources(List.of(orders), true),
				new SimpleMeterRegistry());
		this.kafka.follow(() -> CompletableFuture.failedFuture(new NotLeaderOrFollowerException("nobody leads")));

		assertThatExceptionOfType(RefusedException.class)
			.isThrownBy(publisher.publishDeletion(orders, "id", 7, new Origin(null, Map.of()))::await)
			.withMessageStartingWith("Kafka did not acknowledge the deletion in time");
	}

	/**
	 * As with a partition without a leader among others.
	 */
	@Test
	@Tag("long")
	@ExtendWith(OutputCaptureExtension.class)
	void logsAlternatingOutcomesSeldomAndTheEnd(CapturedOutput output) {
		new ApplicationContextRunner().withBean(Resources.class, () -> TestResources.of(SIZE))
			.withBean(RestToKafkaProperties.class, PublisherTests::properties)
			.withBean(Publisher.class,
					() -> new Publisher(this.kafka, properties(), TestResources.of(SIZE), new SimpleMeterRegistry()))
			.withUserConfiguration(Scheduling.class)
			.run((context) -> {
				Publisher publisher = context.getBean(Publisher.class);
				for (int i = 0; i < 1000; i++) {
					CompletableFuture<RecordMetadata> outcome = (i % 2 == 0)
							? CompletableFuture.failedFuture(new NotLeaderOrFollowerException("nobody leads"))
							: CompletableFuture.completedFuture(null);
					this.kafka.follow(() -> outcome);
					Publisher.Publication job = publisher.publish(JOBS, "id", new byte[1], new Origin(null, Map.of()));
					if (i % 2 == 0) {
						assertThatExceptionOfType(RefusedException.class).isThrownBy(job::await);
					}
					else {
						job.await();
					}
				}

				Awaitility.await()
					.atMost(25, TimeUnit.SECONDS)
					.until(() -> output.getAll().contains("Kafka acknowledges documents again"));
			});

		assertThat(output.getAll().lines().filter((line) -> line.contains("Kafka does not acknowledge documents")))
			.hasSizeBetween(1, 3);
		assertThat(output.getAll().lines().filter((line) -> line.contains("Kafka acknowledges documents again")))
			.hasSize(1);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static RestToKafkaProperties properties() {
		return new RestToKafkaProperties("t", 1, null, Duration.ofDays(7), DataSize.ofBytes(SIZE),
				DataSize.ofMegabytes(1), Duration.ofSeconds(10), PUBLISH_TIMEOUT, URI.create("http://localhost"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class Scheduling {

	}

}
