package jobs.resttokafka.intake;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.ServletOutputStream;
import jobs.chassis.access.Rate;
import jobs.chassis.access.RateLimit;
import jobs.chassis.access.RateLimits;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.ScriptedKafka;
import jobs.resttokafka.TestResources;
import jobs.resttokafka.publish.DocumentIds;
import jobs.resttokafka.publish.Origin;
import jobs.resttokafka.publish.Publisher;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.mock.web.DelegatingServletOutputStream;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UploadTests {

	private static final int SIZE = 1 << 18;

	private static final int MEMORY = 8_000_000;

	private static final String JOB = "{\"title\":\"a\"}\n";

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RestToKafkaProperties properties = new RestToKafkaProperties("t", 1, null, Duration.ofDays(7),
			DataSize.ofBytes(SIZE), DataSize.ofBytes(MEMORY), Duration.ofSeconds(60), Duration.ofSeconds(10),
			URI.create("http://localhost"));

	private final DocumentMemory memory = new DocumentMemory(TestResources.of(SIZE), this.properties, this.meters);

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	private final List<CompletableFuture<RecordMetadata>> sent = new CopyOnWriteArrayList<>();

	private final ScriptedKafka kafka = new ScriptedKafka(this.sent);

	private final Uploads uploads = new Uploads(TestResources.of(SIZE),
			new DocumentIntake(new Publisher(this.kafka, this.properties, TestResources.of(SIZE), this.meters),
					new LargeChecks(TestResources.of(SIZE), this.properties)),
			new DocumentIds());

	@Test
	void givesMemoryBackOnceKafkaHasTheJobsThoughNobodyReads() {
		SlowReader reader = new SlowReader();
		uploadTo(reader, JOB.repeat(1000));
		assertThat(taken()).isZero();

		reader.lines.release();
		await(() -> this.sent.size() > 100);
		assertThat(taken()).isPositive();
		await(() -> {
			this.sent.forEach((future) -> future.complete(null));
			return reader.lines.hasQueuedThreads() && taken() == 0;
		});
	}

	@Test
	void saysThatAnUploadWithAKeyMustBeSentAsAWhole() throws IOException {
		this.kafka.follow(() -> CompletableFuture.completedFuture(null));
		InputStream stalls = new SequenceInputStream(new ByteArrayInputStream(JOB.getBytes(StandardCharsets.UTF_8)),
				new InputStream() {

					@Override
					public int read() throws IOException {
						throw new SocketTimeoutException();
					}

				});

		upload(stalls, this.response, "key");

		assertThat(text(this.response).lines().toList()).satisfiesExactly(
				(line) -> assertThat(line).isEqualTo("1 accepted"), (line) -> assertThat(line).startsWith("2 TOO_SLOW")
					.endsWith(": send the whole upload again, with the same Idempotency-Key"));
	}

	@Test
	void endsAtALineThatKafkaDoesNotTake() throws IOException {
		AtomicBoolean first = new AtomicBoolean(true);
		this.kafka.follow(() -> first.getAndSet(false) ? CompletableFuture.completedFuture(null)
				: CompletableFuture.failedFuture(new TimeoutException("no metadata")));

		upload(JOB.repeat(100), this.response);

		assertThat(this.response.getContentAsString().lines()).satisfiesExactly(
				(line) -> assertThat(line).isEqualTo("1 accepted"),
				(line) -> assertThat(line).startsWith("2 NOT_ACKNOWLEDGED"),
				(line) -> assertThat(line).startsWith("3 STOPPED").contains("send this line and all after it again"));
		assertThat(taken()).isZero();
	}

	@Test
	void readsNoMoreWhileTheClientIsAheadOfItsAllowance() {
		this.kafka.follow(() -> CompletableFuture.completedFuture(null));
		AtomicBoolean mayGoOn = new AtomicBoolean(true);

		startWithOneByteASecond(JOB.repeat(3), mayGoOn::get);

		await(() -> this.response.isCommitted() && text(this.response).equals("1 accepted\n"));
		mayGoOn.set(false);
		await(() -> text(this.response).contains("2 NO_LONGER_ALLOWED"));
	}

	/** Else it would hold what others wait for, for as long as it likes. */
	@Test
	void holdsNoMemoryWhileTheClientIsAheadOfItsAllowance() {
		this.kafka.follow(() -> CompletableFuture.completedFuture(null));
		AtomicBoolean mayGoOn = new AtomicBoolean(true);

		startWithOneByteASecond("{\"title\":\"%s\"}\n".formatted("a".repeat(4 * RequestBody.CHUNK_BYTES)) + JOB,
				mayGoOn::get);

		await(() -> this.response.isCommitted() && text(this.response).equals("1 accepted\n"));
		await(() -> taken() == 0);
		mayGoOn.set(false);
		await(() -> text(this.response).contains("2 NO_LONGER_ALLOWED"));
	}

	private void startWithOneByteASecond(String lines, BooleanSupplier mayGoOn) {
		RateLimit oneByteASecond = new RateLimits().of("ann", new Rate(null, 1L));
		RequestBody body = new RequestBody(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)),
				() -> false, TestResources.jobs(SIZE), this.properties.bodyTimeout(), this.memory);
		Thread.startVirtualThread(() -> {
			try {
				this.uploads.run(body, new ResponseLines(this.response), null, new Origin(null, Map.of()), mayGoOn,
						oneByteASecond);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		});
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
		for (int i = 0; i < Uploads.WIDE_UPLOADS; i++) {
			assertThat(linesOnTheirWay()).isEqualTo(1024);
		}
		assertThat(linesOnTheirWay()).isEqualTo(256);
	}

	/** Else one upload would take the memory of all. */
	@Test
	void hasFewLargeLinesOnTheirWay() {
		String large = "{\"title\":\"%s\"}\n".formatted("a".repeat(200_000));
		start(JOB + large.repeat(25), new MockHttpServletResponse());

		await(() -> taken() >= Upload.PENDING_BYTES);

		Awaitility.await().during(Duration.ofMillis(500)).until(() -> taken() <= Upload.PENDING_BYTES + 200_100.0);
	}

	@Test
	void givesTheSlowestPlaceToAnUploadThatWaitsForOne() throws Exception {
		CountDownLatch lineIsSent = new CountDownLatch(1);
		List<MockHttpServletResponse> slow = new CopyOnWriteArrayList<>();
		for (int i = 0; i < Uploads.UPLOADS; i++) {
			MockHttpServletResponse answer = new MockHttpServletResponse();
			slow.add(answer);
			startBody(new Trickle(lineIsSent), answer);
		}
		await(() -> {
			this.sent.forEach((future) -> future.complete(null));
			return slow.stream().allMatch((answer) -> text(answer).equals("1 accepted\n"));
		});

		startBody(new ByteArrayInputStream(JOB.getBytes(StandardCharsets.UTF_8)), this.response);
		await(() -> this.sent.size() == Uploads.UPLOADS + 1);
		this.sent.getLast().complete(null);
		await(() -> text(this.response).equals("1 accepted\n"));
		lineIsSent.countDown();
		await(() -> {
			this.sent.forEach((future) -> future.complete(null));
			return slow.stream().allMatch((answer) -> text(answer).lines().count() == 2);
		});

		assertThat(slow).extracting(UploadTests::text)
			.filteredOn((answer) -> !answer.endsWith("2 accepted\n"))
			.singleElement()
			.asString()
			.startsWith("1 accepted\n2 STOPPED Other uploads wait for the place of this slow one: ");
	}

	private static String text(MockHttpServletResponse answer) {
		return new String(answer.getContentAsByteArray(), StandardCharsets.UTF_8);
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

	private double taken() {
		return this.meters.get("jobs.in.flight").gauge().value();
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
		startBody(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)), to);
		await(() -> this.sent.size() == first + 1);
		this.sent.get(first).complete(null);
	}

	private void startBody(InputStream lines, MockHttpServletResponse to) {
		Thread.startVirtualThread(() -> {
			try {
				upload(lines, to, null);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().atMost(30, TimeUnit.SECONDS).until(condition);
	}

	private void upload(String lines, MockHttpServletResponse to) throws IOException {
		upload(new ByteArrayInputStream(lines.getBytes(StandardCharsets.UTF_8)), to, null);
	}

	private void upload(InputStream lines, MockHttpServletResponse to, @Nullable String key) throws IOException {
		RequestBody body = new RequestBody(lines, () -> false, TestResources.jobs(SIZE), this.properties.bodyTimeout(),
				this.memory);
		this.uploads.run(body, new ResponseLines(to), key, new Origin(null, Map.of()), () -> true, RateLimit.UNLIMITED);
	}

	/**
	 * Outcomes as they go into a response: the number of a line and what became of it.
	 */
	private record ResponseLines(MockHttpServletResponse response) implements Uploads.OutcomeWriter {

		@Override
		public void accepted(long line, String id) throws IOException {
			write(line + " accepted\n");
		}

		@Override
		public void refused(long line, RefusedException refusal) throws IOException {
			write(line + " " + refusal.reason() + " " + refusal.detail() + "\n");
		}

		private void write(String outcome) throws IOException {
			this.response.getOutputStream().write(outcome.getBytes(StandardCharsets.UTF_8));
		}

		@Override
		public void end() {
			// nothing is counted
		}

		@Override
		public void flush() throws IOException {
			this.response.flushBuffer();
		}

		@Override
		public boolean isCommitted() {
			return this.response.isCommitted();
		}

	}

	/**
	 * Sends a line, then a byte now and then, and at last another line.
	 */
	private static final class Trickle extends InputStream {

		private final InputStream lines = new ByteArrayInputStream((JOB + JOB).getBytes(StandardCharsets.UTF_8));

		private final CountDownLatch end;

		private int sent;

		private Trickle(CountDownLatch end) {
			this.end = end;
		}

		@Override
		public int read() throws IOException {
			try {
				boolean waits = this.sent == JOB.length() && !this.end.await(200, TimeUnit.MILLISECONDS);
				return waits ? ' ' : next();
			}
			catch (InterruptedException ex) {
				throw new IOException(ex);
			}
		}

		private int next() throws IOException {
			this.sent++;
			return this.lines.read();
		}

		@Override
		public int read(byte[] target, int offset, int length) throws IOException {
			int next = read();
			target[offset] = (byte) next;
			return (next >= 0) ? 1 : -1;
		}

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
