package jobs.resttokafka;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.ServletOutputStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.SendResult;
import org.springframework.mock.web.DelegatingServletOutputStream;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UploadTests {

	private static final int MEMORY = 1_000_000;

	private static final String JOB = "{\"title\":\"a\"}\n";

	private final JobMetrics metrics = new JobMetrics(new SimpleMeterRegistry());

	private final RestToKafkaProperties properties = new RestToKafkaProperties("t", 1, null, DataSize.ofKilobytes(256),
			DataSize.ofBytes(MEMORY), Duration.ofSeconds(10), Duration.ofSeconds(10), URI.create("http://localhost"));

	private final Semaphore memory = new Semaphore(MEMORY);

	private final Semaphore wide = new Semaphore(1);

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	private final List<CompletableFuture<SendResult<String, byte[]>>> sent = new CopyOnWriteArrayList<>();

	@SuppressWarnings("unchecked")
	private final KafkaTemplate<String, byte[]> kafka = Mockito.mock(KafkaTemplate.class);

	@BeforeEach
	void kafkaIsSilent() {
		BDDMockito.given(this.kafka.send(ArgumentMatchers.<ProducerRecord<String, byte[]>>any())).willAnswer((call) -> {
			CompletableFuture<SendResult<String, byte[]>> future = new CompletableFuture<>();
			this.sent.add(future);
			return future;
		});
	}

	@Test
	void givesMemoryBackOnceKafkaHasTheJobsThoughNobodyReads() {
		SlowReader reader = new SlowReader();
		uploadTo(reader, JOB.repeat(1000));
		assertThat(this.memory.availablePermits()).isEqualTo(MEMORY);

		reader.lines.release();
		await(() -> this.sent.size() > 100);
		assertThat(this.memory.availablePermits()).isLessThan(MEMORY);
		await(() -> {
			this.sent.forEach((future) -> future.complete(null));
			return reader.lines.hasQueuedThreads() && this.memory.availablePermits() == MEMORY;
		});
	}

	@Test
	void endsAtALineThatKafkaDoesNotTake() throws IOException {
		BDDMockito.given(this.kafka.send(ArgumentMatchers.<ProducerRecord<String, byte[]>>any()))
			.willReturn(CompletableFuture.completedFuture(null))
			.willReturn(CompletableFuture.failedFuture(new TimeoutException("no metadata")));

		upload(JOB.repeat(100), this.response);

		assertThat(this.response.getContentAsString().lines()).satisfiesExactly(
				(line) -> assertThat(line).startsWith("{\"line\":1,\"status\":202"),
				(line) -> assertThat(line).startsWith("{\"line\":2,\"status\":503"),
				(line) -> assertThat(line).startsWith("{\"line\":3,\"status\":503")
					.contains("send this line and all after it again"));
		assertThat(this.memory.availablePermits()).isEqualTo(MEMORY);
	}

	@Test
	void answersBadLinesOfManyErrorsBeforeTheyPileUp() {
		SlowReader reader = new SlowReader();
		String bad = "{\"title\":\"a\"" + ",\"a.b\":1".repeat(120) + "}\n";
		uploadTo(reader, JOB + bad.repeat(100) + JOB);

		reader.lines.release();

		await(() -> reader.lines.availablePermits() == 0 && reader.lines.hasQueuedThreads());
		assertThat(this.sent).hasSize(1);
	}

	@Test
	void hasMoreLinesOnTheirWayWhileNotManyUploadsDo() {
		assertThat(linesOnTheirWay()).isEqualTo(1024);
		assertThat(linesOnTheirWay()).isEqualTo(256);
	}

	/**
	 * Those of another upload of which only the first line is acknowledged.
	 */
	private int linesOnTheirWay() {
		int before = this.sent.size();
		start(JOB.repeat(3000), new MockHttpServletResponse());
		AtomicInteger last = new AtomicInteger();
		await(() -> last.getAndSet(this.sent.size()) == this.sent.size() && last.get() > before + 1);
		// beside the first, the last has been sent and waits for those before it
		return this.sent.size() - before - 2;
	}

	private void uploadTo(SlowReader reader, String lines) {
		start(lines, reader);
		await(reader.lines::hasQueuedThreads);
	}

	/**
	 * Starts an upload, and acknowledges its first line.
	 */
	private void start(String lines, MockHttpServletResponse to) {
		int first = this.sent.size();
		Thread.startVirtualThread(() -> {
			try {
				upload(lines, to);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		});
		await(() -> this.sent.size() == first + 1);
		this.sent.get(first).complete(null);
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(10, TimeUnit.SECONDS).until(condition);
	}

	private void upload(String lines, MockHttpServletResponse to) throws IOException {
		Publisher publisher = new Publisher(this.kafka, this.properties, this.metrics);
		JobInput input = new JobInput(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)), () -> false,
				this.properties, this.memory);
		Contract contract = new Contract();
		new Upload(input, to, this.memory, this.wide, () -> false, (key, number, job) -> {
			contract.check(job);
			return new Upload.Line(number, "id", job.length, publisher.publish("id", job, null));
		}, this.metrics).run(null);
	}

	/**
	 * Takes as many lines as it is told to.
	 */
	private static final class SlowReader extends MockHttpServletResponse {

		private final Semaphore lines = new Semaphore(0);

		@Override
		public ServletOutputStream getOutputStream() {
			return new DelegatingServletOutputStream(new OutputStream() {

				@Override
				public void write(int value) {
					if (value == '\n') {
						SlowReader.this.lines.acquireUninterruptibly();
					}
				}

			});
		}

	}

}
