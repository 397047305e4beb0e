package jobs.resttokafka.intake;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.TestResources;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class RequestBodyTests {

	private static final int LIMIT = 20_000;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final DocumentMemory memory = new DocumentMemory(TestResources.of(LIMIT),
			properties(Duration.ofSeconds(30), LIMIT), this.meters);

	@Test
	void readsABodyOfExactlyTheLimit() throws IOException {
		assertThat(input("x".repeat(LIMIT)).readDocument().bytes()).hasSize(LIMIT);
		assertThat(taken()).isEqualTo(LIMIT);
	}

	@Test
	void refusesAByteMoreWithoutReadingOn() throws IOException {
		InputStream endless = new SequenceInputStream(new ByteArrayInputStream(new byte[LIMIT]), new InputStream() {

			@Override
			public int read() {
				return 'x';
			}

		});

		assertThat(reason(() -> input(endless).readDocument())).isEqualTo(Reason.TOO_LARGE);
		assertThat(taken()).isZero();
	}

	@Test
	void readsLines() throws IOException {
		RequestBody input = input("a\n\nccc\n" + "d".repeat(LIMIT) + "\nlast");

		assertThat(text(line(input))).isEqualTo("a");
		assertThat(text(line(input))).isEmpty();
		assertThat(text(line(input))).isEqualTo("ccc");
		assertThat(text(line(input))).hasSize(LIMIT);
		assertThat(text(line(input))).isEqualTo("last");
		assertThat(line(input)).isNull();
	}

	@Test
	void takesALineFeedForTheEndOfALine() throws IOException {
		RequestBody input = input("a\n");

		assertThat(text(line(input))).isEqualTo("a");
		assertThat(line(input)).isNull();
	}

	@Test
	void skipsALineThatIsTooLong() throws IOException {
		RequestBody input = input("x".repeat(3 * LIMIT) + "\nnext");

		assertThat(reason(() -> line(input))).isEqualTo(Reason.TOO_LARGE);
		assertThat(text(line(input))).isEqualTo("next");
		assertThat(taken()).isEqualTo(4);
	}

	@Test
	void skipsALineThatMemoryHasNoRoomFor() throws IOException {
		fill(70_000);
		RequestBody input = input("x".repeat(LIMIT) + "\nnext");

		assertThat(reason(() -> line(input))).isEqualTo(Reason.NO_ROOM);
		assertThat(text(line(input))).isEqualTo("next");
		assertThat(taken()).isEqualTo(70_000 + 4);
	}

	@Test
	void takesNoMemoryForAnEmptyLine() throws IOException {
		fill(100_000);
		RequestBody input = input("\n\r\n\n");

		assertThat(text(line(input))).isEmpty();
		assertThat(reason(() -> line(input))).isEqualTo(Reason.NO_ROOM);
		assertThat(text(line(input))).isEmpty();
	}

	@Test
	void takesNoMemoryForTheEndOfALineThatIsReadAlone() throws IOException {
		InputStream end = new ByteArrayInputStream("\n".getBytes(StandardCharsets.UTF_8)) {

			@Override
			public int read(byte[] target, int offset, int length) {
				fill(100_000 - 3);
				return super.read(target, offset, length);
			}

		};

		InputStream line = new ByteArrayInputStream("abc".getBytes(StandardCharsets.UTF_8));
		assertThat(text(line(input(new SequenceInputStream(line, end))))).isEqualTo("abc");
	}

	@Test
	void leavesAQuarterOfTheMemoryToSmallJobs() throws IOException {
		fill(70_000);

		assertThat(reason(() -> input("x".repeat(8193)).readDocument())).isEqualTo(Reason.NO_ROOM);
		assertThat(input("x".repeat(8192)).readDocument().bytes()).hasSize(8192);
	}

	@Test
	void leavesAQuarterOfWhatUploadsDoNotHoldToSmallJobs() throws IOException {
		DocumentMemory.Lease upload = this.memory.lease(TestResources.jobs(LIMIT), true);
		assertThat(upload.take(75_000)).isTrue();
		assertThat(upload.take(1)).isFalse();

		assertThat(input("x".repeat(18_000)).readDocument().bytes()).hasSize(18_000);
		assertThat(reason(() -> input("x".repeat(8193)).readDocument())).isEqualTo(Reason.NO_ROOM);
		assertThat(input("x".repeat(7000)).readDocument().bytes()).hasSize(7000);
		assertThat(reason(() -> input("x").readDocument())).isEqualTo(Reason.NO_ROOM);
	}

	@Test
	void refusesABodyThatStalls() {
		InputStream stalled = new InputStream() {

			@Override
			public int read() throws IOException {
				throw new SocketTimeoutException();
			}

		};

		assertThat(reason(() -> input(stalled).readDocument())).isEqualTo(Reason.TOO_SLOW);
	}

	@ParameterizedTest
	@CsvSource({ "jobs, job", "orders, document" })
	void callsADocumentByItsName(String name, String noun) {
		Resource resource = TestResources.named(name);
		RestToKafkaProperties properties = properties(Duration.ofMillis(1), 1);
		DocumentMemory memory = new DocumentMemory(new Resources(List.of(resource), true), properties, this.meters);
		InputStream stalled = new FilterInputStream(InputStream.nullInputStream()) {

			@Override
			public int read(byte[] target, int offset, int length) throws IOException {
				throw new SocketTimeoutException();
			}

		};

		assertThatExceptionOfType(RefusedException.class)
			.isThrownBy(
					() -> new RequestBody(stalled, () -> false, resource, Duration.ofMillis(1), memory).readDocument())
			.withMessage("The %s did not arrive within 1 ms".formatted(noun));
		while (memory.lease(resource, false).take(1000)) {
			// until all is lent
		}
		assertThatExceptionOfType(RefusedException.class)
			.isThrownBy(() -> new RequestBody(new ByteArrayInputStream(new byte[] { '{' }), () -> false, resource,
					Duration.ofMinutes(1), memory)
				.readDocument())
			.withMessage("Too many %ss in flight".formatted(noun));
	}

	@Test
	void refusesABodyThatTrickles() {
		InputStream trickle = new InputStream() {

			@Override
			public int read() {
				return 'x';
			}

			@Override
			public int read(byte[] target, int offset, int length) {
				target[offset] = 'x';
				return 1;
			}

		};

		assertThat(reason(() -> new RequestBody(trickle, () -> false, TestResources.jobs(1 << 29), Duration.ofMillis(1),
				new DocumentMemory(TestResources.of(1 << 29), properties(Duration.ofMillis(1), 1 << 29), this.meters))
			.readDocument())).isEqualTo(Reason.TOO_SLOW);
	}

	@Test
	void givesMemoryBackWhateverFails() {
		InputStream failing = new InputStream() {

			private int left = 5000;

			@Override
			public int read() {
				if (this.left-- == 0) {
					throw new IllegalStateException("of another kind");
				}
				return 'x';
			}

			@Override
			public int read(byte[] target, int offset, int length) {
				target[offset] = (byte) read();
				return 1;
			}

		};

		assertThatIllegalStateException().isThrownBy(() -> input(failing).readDocument());
		assertThat(taken()).isZero();
	}

	/** Takes bytes for small jobs, which may have all. */
	private void fill(int bytes) {
		for (int left = bytes; left > 0; left -= 1000) {
			assertThat(this.memory.lease(TestResources.jobs(LIMIT), false).take(Math.min(left, 1000))).isTrue();
		}
	}

	private double taken() {
		return this.meters.get("jobs.in.flight").gauge().value();
	}

	private RequestBody input(String body) {
		return input(new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
	}

	private RequestBody input(InputStream body) {
		return new RequestBody(body, () -> false, TestResources.jobs(LIMIT), Duration.ofSeconds(30), this.memory);
	}

	private static RestToKafkaProperties properties(Duration timeout, long limit) {
		return new RestToKafkaProperties("t", 1, null, Duration.ofDays(7), DataSize.ofBytes(limit),
				DataSize.ofBytes(Math.max(100_000, 2 * limit)), timeout, Duration.ofSeconds(1),
				URI.create("http://localhost"));
	}

	private static Reason reason(org.assertj.core.api.ThrowableAssert.ThrowingCallable reading) {
		return assertThatExceptionOfType(RefusedException.class).isThrownBy(reading).actual().reason();
	}

	private static @Nullable HeldDocument line(RequestBody input) throws IOException {
		return input.readLine(new RequestBody.Waits() {

			@Override
			public void beforeClient() {
				// nothing is pending
			}

			@Override
			public void afterClient(long nanos, int bytes, boolean skipping) {
				// nobody waits for a place
			}

			@Override
			public boolean awaitRoom(DocumentMemory.Lease line, int bytes) {
				return false;
			}

		});
	}

	private static String text(@Nullable HeldDocument line) {
		return new String(Objects.requireNonNull(line).bytes(), StandardCharsets.UTF_8);
	}

}
