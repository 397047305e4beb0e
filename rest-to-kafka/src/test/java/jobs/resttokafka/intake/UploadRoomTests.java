package jobs.resttokafka.intake;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.access.RateLimit;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.ScriptedKafka;
import jobs.resttokafka.TestResources;
import jobs.resttokafka.publish.DocumentIds;
import jobs.resttokafka.publish.Origin;
import jobs.resttokafka.publish.Publisher;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What uploads do while their share of the memory, 300,000 bytes here, is taken.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UploadRoomTests {

	private static final int MEMORY = 400_000;

	private static final int SHARE = 300_000;

	private static final int MAX_JOB = 250_000;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	/** Jobs that Kafka has not acknowledged. */
	private final Queue<CompletableFuture<RecordMetadata>> sent = new ConcurrentLinkedQueue<>();

	private final ScriptedKafka kafka = new ScriptedKafka(this.sent);

	private final ScheduledExecutorService acknowledging = Executors.newSingleThreadScheduledExecutor();

	private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

	private RestToKafkaProperties properties = properties(Duration.ofSeconds(60));

	private DocumentMemory memory = new DocumentMemory(TestResources.of(MAX_JOB), this.properties, this.meters);

	private final Uploads uploads = new Uploads(TestResources.of(MAX_JOB),
			new DocumentIntake(new Publisher(this.kafka, this.properties, TestResources.of(MAX_JOB), this.meters),
					new LargeChecks(TestResources.of(MAX_JOB), this.properties)),
			new DocumentIds());

	@AfterEach
	void end() {
		this.acknowledging.shutdownNow();
		this.threads.shutdownNow();
	}

	@Test
	void waitAsLongAsKafkaAcknowledgesAndLeaveAQuarterToSingleJobs() throws Exception {
		List<Future<CountedOutcomes>> running = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			running.add(upload(line(9000).repeat(100)));
		}
		await(() -> taken() > SHARE - 3000);

		body(new ByteArrayInputStream(new byte[70_000])).readDocument().close();

		acknowledgeFrequently();
		for (Future<CountedOutcomes> upload : running) {
			assertThat(upload.get().refused).isEmpty();
			assertThat(upload.get().accepted).isEqualTo(100);
		}
		// an outcome is told just before its memory is given back
		await(() -> taken() == 0);
	}

	/**
	 * Each has read a part of its line before any gets the rest.
	 */
	@Test
	void goOnWhenAllMemoryIsHeldByPartsOfLines() throws Exception {
		acknowledgeFrequently();
		int uploads = 14;
		CyclicBarrier partsAreRead = new CyclicBarrier(uploads);
		String large = line(MAX_JOB);
		List<Future<CountedOutcomes>> running = new ArrayList<>();
		for (int i = 0; i < uploads; i++) {
			running.add(upload(new SequenceInputStream(stream(large.substring(0, 20_000)),
					new SequenceInputStream(new Barrier(partsAreRead), stream(large.substring(20_000) + large)))));
		}
		double most = 0;
		while (!running.stream().allMatch(Future::isDone)) {
			most = Math.max(most, taken());
			Thread.sleep(1);
		}

		for (Future<CountedOutcomes> upload : running) {
			assertThat(upload.get().refused).isEmpty();
			assertThat(upload.get().accepted).isEqualTo(2);
		}
		assertThat(most).isBetween(uploads * 20_000.0, (double) SHARE + MAX_JOB);
		await(() -> taken() == 0);
	}

	@Test
	void areRefusedWhenNobodyGivesMemoryBack() throws Exception {
		this.properties = properties(Duration.ofMillis(300));
		this.memory = new DocumentMemory(TestResources.of(MAX_JOB), this.properties, new SimpleMeterRegistry());
		fill();

		CountedOutcomes outcomes = upload("nonsense\n" + line(50)).get();

		assertThat(outcomes.refused).containsExactly(Reason.NO_ROOM, Reason.NO_ROOM);
	}

	@Test
	void endWhenTheServiceStops() throws Exception {
		fill();
		Future<CountedOutcomes> upload = upload(line(50).repeat(2));
		assertThatExceptionOfType(TimeoutException.class).isThrownBy(() -> upload.get(500, TimeUnit.MILLISECONDS));

		this.uploads.stop();

		assertThat(upload.get().refused).containsExactly(Reason.STOPPED);
	}

	/**
	 * Fills all memory with single jobs, and what is beyond with a line.
	 */
	private void fill() {
		for (int i = 0; i < MEMORY; i += 1000) {
			assertThat(this.memory.lease(TestResources.jobs(MAX_JOB), false).take(1000)).isTrue();
		}
		upload(line(50));
		await(() -> this.sent.size() == 1);
	}

	private void acknowledgeFrequently() {
		this.acknowledging.scheduleWithFixedDelay(() -> {
			for (CompletableFuture<?> first = this.sent.poll(); first != null; first = this.sent.poll()) {
				first.complete(null);
			}
		}, 1, 1, TimeUnit.MILLISECONDS);
	}

	private Future<CountedOutcomes> upload(String lines) {
		return upload(stream(lines));
	}

	private Future<CountedOutcomes> upload(InputStream lines) {
		return this.threads.submit(() -> {
			CountedOutcomes outcomes = new CountedOutcomes();
			this.uploads.run(body(lines), outcomes, null, new Origin(null, Map.of()), () -> true, RateLimit.UNLIMITED);
			return outcomes;
		});
	}

	private RequestBody body(InputStream body) {
		return new RequestBody(body, () -> false, TestResources.jobs(MAX_JOB), this.properties.bodyTimeout(),
				this.memory);
	}

	private double taken() {
		return this.meters.get("jobs.in.flight").gauge().value();
	}

	/**
	 * A line of so many bytes, beside its end.
	 */
	private static String line(int bytes) {
		return "{\"title\":\"" + "x".repeat(bytes - 12) + "\"}\n";
	}

	private static InputStream stream(String text) {
		return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).until(condition);
	}

	private static RestToKafkaProperties properties(Duration publishTimeout) {
		return new RestToKafkaProperties("t", 1, null, Duration.ofDays(7), DataSize.ofBytes(MAX_JOB),
				DataSize.ofBytes(MEMORY), Duration.ofSeconds(10), publishTimeout, URI.create("http://localhost"));
	}

	/**
	 * Has no bytes, and ends when all wait for its end.
	 */
	private static final class Barrier extends InputStream {

		private final CyclicBarrier barrier;

		private Barrier(CyclicBarrier barrier) {
			this.barrier = barrier;
		}

		@Override
		public int read() {
			try {
				this.barrier.await();
				return -1;
			}
			catch (InterruptedException | BrokenBarrierException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
