package jobs.kafkatomongo.mongo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.mongo.BulkWriter.Refusal;
import jobs.kafkatomongo.mongo.PoisonCandidates.Creations;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A document is given up by what MongoDB does after it has refused the document. */
class PoisonCandidatesTests {

	private static final int TRIES = 10;

	private final BulkWriter.Shared shared = new BulkWriter.Shared();

	private final Creations creations = this.shared.creations();

	private final PoisonCandidates candidates = new PoisonCandidates(Records.properties("topic", Duration.ZERO),
			this.creations);

	private final BulkWriter<String> refused = BulkWriter.inserting((documents) -> {
		throw failure(0);
	}, this.shared);

	private final BulkWriter<String> taken = BulkWriter.inserting(List::size, this.shared);

	@Test
	void isGivenUpOnceACommandThatBeganLaterHasCreatedADocument() {
		List<String> givenUp = new ArrayList<>();
		for (int i = 0; i < TRIES; i++) {
			givenUp.addAll(givenUp(this.refused.write(List.of("poisoned")).refusals()));
			this.taken.write(List.of("good"));
		}

		assertThat(givenUp).contains("poisoned");
	}

	/** Its answer may come late: MongoDB took the document before it refuses all. */
	@Test
	void isNotGivenUpForTheAnswerOfACommandThatHadBegunBefore() {
		List<Refusal<String>> refusals = new ArrayList<>();
		BulkWriter<String> slow = BulkWriter.inserting((documents) -> {
			refusals.addAll(this.refused.write(List.of("good, too")).refusals());
			return documents.size();
		}, this.shared);
		slow.write(List.of("good"));

		for (int i = 0; i < TRIES; i++) {
			assertThat(givenUp(refusals)).isEmpty();
			refusals.clear();
			refusals.addAll(this.refused.write(List.of("good, too")).refusals());
		}
	}

	/** MongoDB takes the documents of a command in their order. */
	@Test
	void isGivenUpForADocumentBehindItInOneCommandAndNotForOneBefore() {
		BulkWriter<String> first = BulkWriter.inserting((documents) -> {
			throw failure(0);
		}, this.shared);
		BulkWriter<String> second = BulkWriter.inserting((documents) -> {
			throw failure(1);
		}, this.shared);
		List<String> givenUp = new ArrayList<>();
		for (int i = 0; i < TRIES; i++) {
			givenUp.addAll(givenUp(first.write(List.of("poisoned", "good")).refusals()));
		}
		assertThat(givenUp).contains("poisoned");

		PoisonCandidates others = new PoisonCandidates(Records.properties("topic", Duration.ZERO), this.creations);
		List<Refusal<String>> last = second.write(List.of("good", "refused")).refusals();
		for (int i = 0; i < TRIES; i++) {
			assertThat(others.givenUp(last, (document) -> document, () -> false)).isEmpty();
		}
	}

	private List<String> givenUp(List<Refusal<String>> refusals) {
		return this.candidates.givenUp(refusals, (document) -> document, () -> false)
			.stream()
			.map(Refusal::document)
			.toList();
	}

	private static MongoBulkWriteException failure(int index) {
		return new MongoBulkWriteException(BulkWriteResult.unacknowledged(),
				List.of(new BulkWriteError(4711, "no", new BsonDocument(), index)), null, new ServerAddress(),
				Set.of());
	}

}
