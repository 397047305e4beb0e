package jobs.resttokafka.intake;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.contract.resources.CheckBudget;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RestToKafkaProperties;
import jobs.resttokafka.ScriptedKafka;
import jobs.resttokafka.TestResources;
import jobs.resttokafka.publish.Origin;
import jobs.resttokafka.publish.Publisher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Large documents whose checks are slow leave places to those of other resources.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargeChecksTests {

	private static final byte[] LARGE = "{\"title\":\"%s\"}".formatted("x".repeat(DocumentMemory.SMALL_DOCUMENT_BYTES))
		.getBytes(StandardCharsets.UTF_8);

	private static final int ALL_BYTES = CheckBudget.bytes(Runtime.getRuntime().maxMemory());

	private final Resource orders = TestResources.named("orders");

	private final Resource events = TestResources.named("events");

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final RestToKafkaProperties properties = new RestToKafkaProperties("t", 1, null, Duration.ofDays(7),
			DataSize.ofKilobytes(256), DataSize.ofMegabytes(8), Duration.ofSeconds(10), Duration.ofMillis(50),
			URI.create("http://localhost"));

	@Test
	void leaveTheDocumentsOfAnotherResourceTheirs() throws Exception {
		Resources resources = new Resources(List.of(this.orders, this.events), true);
		LargeChecks checks = new LargeChecks(resources, this.properties);
		takeAll(checks, this.orders);

		assertThatExceptionOfType(RefusedException.class).isThrownBy(() -> submit(this.orders, checks, resources))
			.withMessageContaining("Too many large documents");
		submit(this.events, checks, resources).await();
	}

	@Test
	void areHalfOfAllWhereThereAreSeveralResources() {
		LargeChecks checks = new LargeChecks(new Resources(List.of(this.orders, this.events), true), this.properties);
		LargeChecks.Place first = checks.take(this.orders, 1);

		assertThat(takeAll(checks, this.orders)).isEqualTo(1);
		assertThat(takeAll(checks, this.events)).isEqualTo(2);
		first.close();
		assertThat(takeAll(checks, this.orders)).isEqualTo(1);
	}

	@Test
	void areAllWhereThereIsOneResource() {
		assertThat(takeAll(new LargeChecks(new Resources(List.of(this.orders), true), this.properties), this.orders))
			.isEqualTo(4);
	}

	/** A place of a resource that finds none among all is given back. */
	@Test
	void keepNoShareOfOneThatWasRefused() {
		Resource jobs = TestResources.named("jobs");
		LargeChecks checks = new LargeChecks(new Resources(List.of(this.orders, this.events, jobs), true),
				this.properties);
		takeAll(checks, this.orders);
		LargeChecks.Place first = checks.take(this.events, 1);
		LargeChecks.Place second = checks.take(this.events, 1);
		assertThat(takeAll(checks, jobs)).isZero();
		assertThat(takeAll(checks, jobs)).isZero();

		first.close();
		second.close();

		assertThat(takeAll(checks, jobs)).isEqualTo(2);
	}

	/** Else a few documents of megabytes would take all of the heap. */
	@Test
	void areBoundedByBytesToo() {
		LargeChecks checks = new LargeChecks(new Resources(List.of(this.orders), true), this.properties);
		int third = ALL_BYTES / 3;

		assertThat(takeAll(checks, this.orders, third)).isEqualTo(3);
		assertThat(takeAll(checks, this.orders, third)).isZero();
		assertThat(takeAll(new LargeChecks(new Resources(List.of(this.orders), true), this.properties), this.orders,
				third + 1))
			.isEqualTo(2);
	}

	@Test
	void giveTheirBytesBack() {
		LargeChecks checks = new LargeChecks(new Resources(List.of(this.orders, this.events), true), this.properties);
		for (int i = 0; i < 10; i++) {
			checks.take(this.orders, ALL_BYTES / 2).close();
		}
		assertThat(takeAll(checks, this.orders, ALL_BYTES / 4)).isEqualTo(2);
		assertThat(takeAll(checks, this.events, ALL_BYTES / 4)).isEqualTo(2);
	}

	@Test
	void leaveTheBytesOfAnotherResourceTheirs() {
		LargeChecks checks = new LargeChecks(new Resources(List.of(this.orders, this.events), true), this.properties);

		assertThat(takeAll(checks, this.orders, ALL_BYTES / 2)).isEqualTo(1);
		assertThat(takeAll(checks, this.events, ALL_BYTES / 2)).isEqualTo(1);
	}

	@Test
	void areOneAtATimeWhereADocumentIsLargerThanAllBytes() {
		LargeChecks checks = new LargeChecks(new Resources(List.of(this.orders), true), this.properties);
		LargeChecks.Place whole = checks.take(this.orders, Integer.MAX_VALUE);

		assertThat(takeAll(checks, this.orders, 1)).isZero();
		whole.close();
		assertThat(takeAll(checks, this.orders, Integer.MAX_VALUE)).isEqualTo(1);
	}

	@ParameterizedTest
	@CsvSource({ "32, 1048576", "127, 2219485", "256, 4473924", "1048576, 2147483647" })
	void getHalfOfTheHeapAndNeverLessThanFourUsualDocuments(long heapMebibytes, int bytes) {
		assertThat(CheckBudget.bytes(heapMebibytes << 20)).isEqualTo(bytes);
	}

	private static int takeAll(LargeChecks checks, Resource resource) {
		return takeAll(checks, resource, 1);
	}

	private static int takeAll(LargeChecks checks, Resource resource, int bytes) {
		int taken = 0;
		while (true) {
			try {
				checks.take(resource, bytes);
				taken++;
			}
			catch (RefusedException ex) {
				return taken;
			}
		}
	}

	private Publisher.Publication submit(Resource resource, LargeChecks checks, Resources resources) {
		ScriptedKafka kafka = new ScriptedKafka(() -> CompletableFuture.completedFuture(null));
		Publisher publisher = new Publisher(kafka, this.properties, resources, this.meters);
		DocumentMemory memory = new DocumentMemory(resources, this.properties, this.meters);
		HeldDocument job = new HeldDocument(memory.lease(resource, false));
		job.add(LARGE, 0, LARGE.length);
		return new DocumentIntake(publisher, checks).submit(resource, "id", job, new Origin(null, Map.of()));
	}

}
