package jobs.kafkatomongo.events;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.events.DocumentEvent.Outcome;
import jobs.testkit.Backends;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** An instance tells what it stores, as far back as its memory reaches. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StoredEventsTests {

	private static final Resource ORDERS = Records.orders("topic");

	private static final MongoClient CLIENT = MongoClients.create(Backends.get().mongo("test"));

	private final StoredEvents events = new StoredEvents(CLIENT, ORDERS);

	@AfterAll
	static void close() {
		CLIENT.close();
	}

	@Test
	void tellsVersionsAndDeletionsAndErasures() throws Exception {
		EventStream stream = this.events.open(null);

		this.events.stored(List.of(order("a", "{\"orderNumber\":\"a\",\"revision\":3}", null), order("a", null, "4")));
		this.events.erased("b");

		assertThat(taken(stream)).containsExactly(new DocumentEvent("a", 3L, Outcome.STORED),
				new DocumentEvent("a", 4L, Outcome.DELETED), new DocumentEvent("b", null, Outcome.ERASED));
	}

	@Test
	void goesOnBehindAPosition() throws Exception {
		EventStream first = this.events.open(null);
		this.events.erased("a");
		this.events.erased("b");
		first.next();

		EventStream second = this.events.open(first.position());

		assertThat(taken(second)).extracting(DocumentEvent::id).containsExactly("b");
		assertThat(taken(this.events.open(second.position()))).isEmpty();
	}

	@Test
	void wakesWhoWaits() throws Exception {
		EventStream stream = this.events.open(null);
		CompletableFuture<DocumentEvent> next = new CompletableFuture<>();
		Thread.startVirtualThread(() -> {
			try {
				DocumentEvent event = null;
				while (event == null) {
					event = stream.next();
				}
				next.complete(event);
			}
			catch (InterruptedException | RuntimeException ex) {
				next.completeExceptionally(ex);
			}
		});

		this.events.erased("a");

		assertThat(next.get(20, TimeUnit.SECONDS).id()).isEqualTo("a");
	}

	@Test
	void forgetsTheOldestBeyondItsBound() throws Exception {
		EventStream slow = this.events.open(null);
		String position = slow.position();
		IntStream.range(0, 10_000).forEach((i) -> this.events.erased("id-" + i));

		assertThat(taken(this.events.open(position))).hasSize(10_000);
		this.events.erased("one more");
		assertThatExceptionOfType(LostEventsException.class).isThrownBy(() -> this.events.open(position));
		assertThatExceptionOfType(LostEventsException.class).isThrownBy(slow::next);
	}

	@Test
	void forgetsTheOldestWhereIdsAreLong() {
		EventStream slow = this.events.open(null);
		IntStream.range(0, 2001).forEach((_) -> this.events.erased("x".repeat(500)));

		assertThatExceptionOfType(LostEventsException.class).isThrownBy(slow::next);
	}

	@Test
	void knowsNoPositionOfAnotherProcess() {
		String other = new StoredEvents(CLIENT, ORDERS).open(null).position();

		assertThat(StoredEvents.isPosition(other)).isTrue();
		assertThatExceptionOfType(LostEventsException.class).isThrownBy(() -> this.events.open(other));
		assertThatExceptionOfType(LostEventsException.class)
			.isThrownBy(() -> this.events.open(this.events.open(null).position() + "7"));
	}

	private static ParsedRecord order(String id, @Nullable String value, @Nullable String version) {
		return Records.order(ORDERS, 0, id, value, version);
	}

	private static List<DocumentEvent> taken(EventStream stream) throws InterruptedException {
		List<DocumentEvent> taken = new ArrayList<>();
		while (stream.hasNext()) {
			taken.add(stream.next());
		}
		return taken;
	}

}
