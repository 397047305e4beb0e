package jobs.resttokafka.intake;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.access.RateLimit;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.ScriptedKafka;
import jobs.resttokafka.TestResources;
import jobs.resttokafka.publish.DocumentIds;
import jobs.resttokafka.publish.Origin;
import jobs.resttokafka.publish.Publisher;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Uploads of a resource that go on for ever leave places to those of another.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UploadSharesTests {

	private final Resource orders = TestResources.named("orders");

	private final Resource events = TestResources.named("events");

	private final Resource jobs = TestResources.named("jobs");

	private final Resources resources = new Resources(List.of(this.orders, this.events, this.jobs), true);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RestToKafkaProperties properties = new RestToKafkaProperties("t", 1, null, Duration.ofDays(7),
			DataSize.ofKilobytes(256), DataSize.ofMegabytes(8), Duration.ofSeconds(60), Duration.ofSeconds(10),
			URI.create("http://localhost"));

	private final DocumentMemory memory = new DocumentMemory(this.resources, this.properties, this.meters);

	private final ScriptedKafka kafka = new ScriptedKafka(() -> CompletableFuture.completedFuture(null));

	private final Uploads uploads = new Uploads(this.resources,
			new DocumentIntake(new Publisher(this.kafka, this.properties, this.resources, this.meters),
					new LargeChecks(this.resources, this.properties)),
			new DocumentIds());

	private final CountDownLatch end = new CountDownLatch(1);

	private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

	@AfterEach
	void end() {
		this.end.countDown();
		this.threads.shutdownNow();
	}

	@Test
	void leaveTheUploadsOfAnotherResourceTheirPlaces() throws Exception {
		takeAllPlaces(this.orders, this.end);

		assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> upload(this.orders))
			.withMessageContaining("Too many uploads at once");
		assertThat(upload(this.events)).isEqualTo(1);
	}

	@Test
	void areNoMoreThanAllPlacesAndKeepNoShareOfOneThatWasRefused() throws Exception {
		CountDownLatch othersEnd = new CountDownLatch(1);
		List<Future<?>> others = new ArrayList<>(takeAllPlaces(this.orders, othersEnd));
		others.addAll(takeAllPlaces(this.events, othersEnd));

		assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> upload(this.jobs))
			.withMessageContaining("Too many uploads at once");

		othersEnd.countDown();
		for (Future<?> upload : others) {
			upload.get(20, TimeUnit.SECONDS);
		}
		assertThat(takeAllPlaces(this.jobs, this.end)).hasSize(Uploads.UPLOADS_OF_ONE);
	}

	/** Starts uploads whose bodies go on, and waits until each has its place. */
	private List<Future<?>> takeAllPlaces(Resource resource, CountDownLatch end) throws InterruptedException {
		CountDownLatch reading = new CountDownLatch(Uploads.UPLOADS_OF_ONE);
		List<Future<?>> running = new ArrayList<>();
		for (int i = 0; i < Uploads.UPLOADS_OF_ONE; i++) {
			running.add(this.threads.submit(() -> upload(resource, new Stalled(reading, end))));
		}
		assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
		return running;
	}

	private int upload(Resource resource) throws Exception {
		return upload(resource, new ByteArrayInputStream("{\"title\":\"a\"}\n".getBytes(StandardCharsets.UTF_8)));
	}

	private int upload(Resource resource, InputStream lines) throws Exception {
		CountedOutcomes accepted = new CountedOutcomes();
		RequestBody body = new RequestBody(lines, () -> false, resource, this.properties.bodyTimeout(), this.memory);
		this.uploads.run(body, accepted, null, new Origin(null, Map.of()), () -> true, RateLimit.UNLIMITED);
		return accepted.accepted;
	}

	/**
	 * A body that tells that it is read, and ends when the test says so.
	 */
	private static final class Stalled extends InputStream {

		private final CountDownLatch reading;

		private final CountDownLatch end;

		private Stalled(CountDownLatch reading, CountDownLatch end) {
			this.reading = reading;
			this.end = end;
		}

		@Override
		public int read() {
			this.reading.countDown();
			try {
				this.end.await();
				return -1;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
