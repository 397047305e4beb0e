package jobs.resttokafka;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JobInputTests {

	private static final int LIMIT = 20_000;

	private final Semaphore memory = new Semaphore(100_000);

	@Test
	void readsABodyOfExactlyTheLimit() throws IOException {
		assertThat(input("x".repeat(LIMIT)).readJob()).hasSize(LIMIT);
		assertThat(this.memory.availablePermits()).isEqualTo(100_000 - LIMIT);
	}

	@Test
	void refusesAByteMoreWithoutReadingOn() throws IOException {
		InputStream endless = new SequenceInputStream(new ByteArrayInputStream(new byte[LIMIT]), new InputStream() {

			@Override
			public int read() {
				return 'x';
			}

		});

		assertThat(status(() -> input(endless).readJob())).isEqualTo(413);
		assertThat(this.memory.availablePermits()).isEqualTo(100_000);
	}

	@Test
	void readsLines() throws IOException {
		JobInput input = input("a\n\nccc\n" + "d".repeat(LIMIT) + "\nlast");

		assertThat(text(line(input))).isEqualTo("a");
		assertThat(text(line(input))).isEmpty();
		assertThat(text(line(input))).isEqualTo("ccc");
		assertThat(text(line(input))).hasSize(LIMIT);
		assertThat(text(line(input))).isEqualTo("last");
		assertThat(line(input)).isNull();
	}

	@Test
	void takesALineFeedForTheEndOfALine() throws IOException {
		JobInput input = input("a\n");

		assertThat(text(line(input))).isEqualTo("a");
		assertThat(line(input)).isNull();
	}

	@Test
	void skipsALineThatIsTooLong() throws IOException {
		JobInput input = input("x".repeat(3 * LIMIT) + "\nnext");

		assertThat(status(() -> line(input))).isEqualTo(413);
		assertThat(text(line(input))).isEqualTo("next");
		assertThat(this.memory.availablePermits()).isEqualTo(100_000 - 4);
	}

	@Test
	void skipsALineThatMemoryHasNoRoomFor() throws IOException {
		this.memory.acquireUninterruptibly(90_000);
		JobInput input = input("x".repeat(LIMIT) + "\nnext");

		assertThat(status(() -> line(input))).isEqualTo(503);
		assertThat(text(line(input))).isEqualTo("next");
		assertThat(this.memory.availablePermits()).isEqualTo(10_000 - 4);
	}

	@Test
	void leavesAQuarterOfTheMemoryToSmallJobs() throws IOException {
		this.memory.acquireUninterruptibly(70_000);

		assertThat(status(() -> input("x".repeat(8193)).readJob())).isEqualTo(503);
		assertThat(input("x".repeat(8192)).readJob()).hasSize(8192);
	}

	@Test
	void refusesABodyThatStalls() {
		InputStream stalled = new InputStream() {

			@Override
			public int read() throws IOException {
				throw new SocketTimeoutException();
			}

		};

		assertThat(status(() -> input(stalled).readJob())).isEqualTo(408);
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

		assertThat(status(() -> new JobInput(trickle, () -> false, properties(Duration.ofMillis(1), 1 << 30),
				new Semaphore(1 << 30))
			.readJob())).isEqualTo(408);
	}

	private JobInput input(String body) {
		return input(new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)));
	}

	private JobInput input(InputStream body) {
		return new JobInput(body, () -> false, properties(Duration.ofSeconds(30), LIMIT), this.memory);
	}

	private static RestToKafkaProperties properties(Duration timeout, long limit) {
		return new RestToKafkaProperties("t", 1, null, DataSize.ofBytes(limit),
				DataSize.ofBytes(Math.max(100_000, 2 * limit)), timeout, Duration.ofSeconds(1),
				URI.create("http://localhost"));
	}

	private static int status(org.assertj.core.api.ThrowableAssert.ThrowingCallable reading) {
		return assertThatExceptionOfType(RefusedException.class).isThrownBy(reading).actual().problem().status();
	}

	private static byte @Nullable [] line(JobInput input) throws IOException {
		return input.readLine(() -> {
		});
	}

	private static String text(byte @Nullable [] line) {
		return new String(Objects.requireNonNull(line), StandardCharsets.UTF_8);
	}

}
