package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import com.mongodb.MongoSocketReadException;
import com.mongodb.MongoSocketReadTimeoutException;
import com.mongodb.ServerAddress;
import jobs.kafkatomongo.mongo.BulkWriter.Answer;
import jobs.kafkatomongo.mongo.PoisonCandidates.Creations;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A MongoDB that takes its time for each document, and a time-out of 30 s. */
class CommandSizeTests {

	private static final Duration TIME_OUT = Duration.ofSeconds(30);

	private final AtomicLong now = new AtomicLong();

	private final BulkWriter.Shared shared = new BulkWriter.Shared(new Creations(), new CommandSize(this.now::get));

	private final List<Integer> commands = new ArrayList<>();

	/** The time of a document. */
	private Duration each = Duration.ZERO;

	/** The time of a command besides. */
	private Duration command = Duration.ZERO;

	private boolean isRefusing;

	@BeforeEach
	void learnThatMongoDbIsQuick() {
		write(2000);
		this.commands.clear();
	}

	/** A new process does not know yet how busy MongoDB is. */
	@Test
	void beginsWithSmallCommands() {
		this.each = Duration.ofMillis(40);
		BulkWriter.Shared unknown = new BulkWriter.Shared(new Creations(), new CommandSize(this.now::get));
		Answer<Integer> answer = BulkWriter.<Integer>inserting(this::take, unknown)
			.write(IntStream.range(0, 2000).boxed().toList());

		assertThat(answer.taken()).hasSize(2000);
		assertThat(this.commands).hasSize(8).containsOnly(250);
	}

	@Test
	void writesABatchWithOneCommandWhereMongoDbIsQuick() {
		assertThat(write(2000).taken()).hasSize(2000);
		assertThat(this.commands).containsExactly(2000);
	}

	@Test
	void writesItWithMoreAfterALongOneAndWithOneOnceTheyAreQuickAgain() {
		this.each = Duration.ofMillis(4);
		for (int i = 0; i < 4; i++) {
			assertThat(write(2000).taken()).hasSize(2000);
		}
		// 8 s, and then 4 s each
		assertThat(this.commands).containsExactly(2000, 1000, 1000, 1000, 1000, 1000, 1000);

		this.each = Duration.ofNanos(10);
		write(2000);
		this.commands.clear();
		write(2000);
		assertThat(this.commands).containsExactly(2000);
	}

	/** Else each try would be as long as the one before, and come to nothing. */
	@Test
	void getsThroughWhereAWholeBatchOutlastsTheTimeOut() {
		this.each = Duration.ofMillis(40);
		assertThat(write(2000).failure()).isNotNull();
		assertThat(write(2000).failure()).isNotNull();
		assertThat(write(2000).taken()).hasSize(2000);
		assertThat(this.commands).containsExactly(2000, 1000, 500, 500, 500, 500);
	}

	/**
	 * Kafka awaits the next poll for five minutes, and fewer documents would not help.
	 */
	@Test
	void hasABoundWhereEachCommandTakesLong() {
		this.command = Duration.ofSeconds(12);
		for (int i = 0; i < 9; i++) {
			this.commands.clear();
			assertThat(write(4000).taken()).hasSize(4000);
		}
		assertThat(this.commands).hasSize(8);
	}

	@Test
	void learnsNothingOfFewDocuments() {
		this.command = Duration.ofSeconds(12);
		write(3);
		this.command = Duration.ZERO;
		write(2000);

		assertThat(this.commands).containsExactly(3, 2000);
	}

	@Test
	void learnsNothingOfAQuickFailure() {
		this.each = Duration.ofMillis(4);
		write(2000);
		this.isRefusing = true;
		assertThat(write(2000).failure()).isNotNull();
		this.isRefusing = false;
		this.commands.clear();
		write(2000);

		assertThat(this.commands).containsExactly(1000, 1000);
	}

	private Answer<Integer> write(int documents) {
		BulkWriter<Integer> writer = BulkWriter.inserting(this::take, this.shared);
		return writer.write(IntStream.range(0, documents).boxed().toList());
	}

	private int take(List<Integer> documents) {
		this.commands.add(documents.size());
		if (this.isRefusing) {
			throw new MongoSocketReadException("Prematurely reached end of stream", new ServerAddress());
		}
		Duration time = this.command.plus(this.each.multipliedBy(documents.size()));
		boolean isTooLong = time.compareTo(TIME_OUT) > 0;
		this.now.addAndGet((isTooLong ? TIME_OUT : time).toNanos());
		if (isTooLong) {
			throw new MongoSocketReadTimeoutException("Read timed out", new ServerAddress(), new RuntimeException());
		}
		return documents.size();
	}

}
