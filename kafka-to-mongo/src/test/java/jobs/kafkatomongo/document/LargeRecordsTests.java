package jobs.kafkatomongo.document;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargeRecordsTests {

	/**
	 * Of one record it parses a sixtieth of the heap, which is 2.2 MB here, and of
	 * several half of that.
	 */
	private final LargeRecords large = new LargeRecords(127 << 20);

	@Test
	void waitForTheRoomOfOthers() throws Exception {
		LargeRecords.Room first = this.large.take(1_000_000);
		CompletableFuture<Thread> waiting = new CompletableFuture<>();
		CompletableFuture<LargeRecords.Room> second = CompletableFuture.supplyAsync(() -> {
			waiting.complete(Thread.currentThread());
			return this.large.take(1_000_000);
		}, Thread::startVirtualThread);
		Thread thread = waiting.get();
		Awaitility.await().until(() -> thread.getState() == Thread.State.WAITING);

		assertThat(second).isNotDone();
		first.close();
		second.get(30, TimeUnit.SECONDS).close();
		this.large.take(this.large.largest()).close();
	}

	@Test
	void letSmallOnesPass() {
		try (LargeRecords.Room _ = this.large.take(this.large.largest())) {
			this.large.take(8192).close();
		}

		assertThat(this.large.largest()).isEqualTo(2_219_485);
	}

}
