package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.ServerAddress;
import jobs.kafkatomongo.mongo.BulkWriter.Answer;
import jobs.kafkatomongo.mongo.PoisonCandidates.Creations;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A MongoDB that takes its time for each document, and a time-out of 30 s. */
class CommandSizeTests {

	private static final Duration TIME_OUT = Duration.ofSeconds(30);

	private final AtomicLong now = new AtomicLong();

	private final BulkWriter.Shared shared = new BulkWriter.Shared(new Creations(), new CommandSize(this.now::get));

	private final List<Integer> commands = new ArrayList<>();

	private Duration each = Duration.ZERO;

	@Test
	void writesABatchWithOneCommandWhereMongoDbIsQuick() {
		assertThat(write(2000).taken()).hasSize(2000);
		assertThat(this.commands).containsExactly(2000);
	}

	@Test
	void hasFewerDocumentsAfterALongCommandAndAllOnceTheyAreQuickAgain() {
		this.each = Duration.ofMillis(10);
		assertThat(write(2000).taken()).hasSize(2000);
		this.commands.clear();
		assertThat(write(2000).taken()).hasSize(2000);

		assertThat(this.commands).startsWith(1000, 500, 250).allMatch((size) -> size >= 125);

		this.each = Duration.ofNanos(10);
		for (int i = 0; i < 9; i++) {
			write(2000);
		}
		this.commands.clear();
		write(2000);
		assertThat(this.commands).containsExactly(2000);
	}

	/** Else each try would be as long as the one before, and come to nothing. */
	@Test
	void getsThroughWhereAWholeBatchOutlastsTheTimeOut() {
		this.each = Duration.ofMillis(40);
		int tries = 1;
		while (write(2000).failure() != null) {
			tries++;
			assertThat(tries).isLessThan(5);
		}
		assertThat(tries).isEqualTo(3);
	}

	@Test
	void goesOnDocumentByDocumentWhereItIsSlowest() {
		this.each = Duration.ofSeconds(1);
		while (write(64).failure() != null) {
			assertThat(this.commands).hasSizeLessThan(9);
		}
		assertThat(this.commands).endsWith(16, 16, 16, 16);
	}

	private Answer<Integer> write(int documents) {
		BulkWriter<Integer> writer = BulkWriter.inserting(this::take, this.shared);
		return writer.write(IntStream.range(0, documents).boxed().toList());
	}

	private int take(List<Integer> documents) {
		this.commands.add(documents.size());
		Duration time = this.each.multipliedBy(documents.size());
		boolean isTooLong = time.compareTo(TIME_OUT) > 0;
		this.now.addAndGet((isTooLong ? TIME_OUT : time).toNanos());
		if (isTooLong) {
			throw new MongoSocketReadTimeoutException("Read timed out", new ServerAddress(), new RuntimeException());
		}
		return documents.size();
	}

}
