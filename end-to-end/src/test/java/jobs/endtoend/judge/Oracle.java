package jobs.endtoend.judge;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

import jobs.endtoend.load.History;
import jobs.endtoend.load.History.Outcome;
import jobs.endtoend.load.Strays;
import jobs.endtoend.load.Workload;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Postings;
import jobs.testkit.Sha256;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonValue;
import tools.jackson.core.JacksonException;

/**
 * Judges a run, when all is healed and nothing is left to be done: every accepted job is
 * one document, or one dead letter with a cause; every refused one is nowhere; a good one
 * that can be sent again is accepted; the others are there once or not at all; nothing
 * has changed on the way; and no offset is committed beyond a record that is in neither
 * place.
 * <p>
 * A dead letter is known by its original position: written again after a crash or a
 * replay of the topic, it is the same one. A stray record that was corrected is one
 * document, however often, with the id that it would have had.
 */
public final class Oracle {

	private static final int EXAMPLES = 10;

	private final Workload workload;

	private final History history;

	private final Strays strays;

	private final Evidence evidence;

	private final byte[] stored;

	private final byte[] dead;

	private final BitSet published = new BitSet();

	private final Set<String> deadPositions = new HashSet<>();

	private final Set<Integer> deadStrays = new HashSet<>();

	/** The ids of the documents of corrected strays, by the strays' numbers. */
	private final Map<Integer, List<String>> corrected = new HashMap<>();

	private final Map<Wrong, Integer> counts = new LinkedHashMap<>();

	private final Map<Integer, String> examples = new LinkedHashMap<>();

	private final List<String> others = new ArrayList<>();

	private int deadAgain;

	private Oracle(Workload workload, History history, Strays strays, Evidence evidence) {
		this.workload = workload;
		this.history = history;
		this.strays = strays;
		this.evidence = evidence;
		this.stored = new byte[history.size()];
		this.dead = new byte[history.size()];
	}

	public static Verdict judge(Workload workload, History history, Strays strays, Evidence evidence) throws Exception {
		return new Oracle(workload, history, strays, evidence).judge();
	}

	private Verdict judge() throws Exception {
		this.evidence.documents().find().forEach(this::see);
		this.evidence.forEachDeadLetter(this::seeDeadLetter);
		Map<TopicPartition, OffsetAndMetadata> committed = this.evidence.committed();
		this.evidence.forEachRecord((record) -> seeRecord(record, committed));
		int storedOnce = 0;
		int deadLetters = 0;
		int refused = 0;
		int givenUp = 0;
		for (int number = 0; number < this.history.size(); number++) {
			Outcome outcome = this.history.outcome(number);
			boolean bad = this.workload.isBad(number);
			boolean nowhere = this.stored[number] == 0 && this.dead[number] == 0;
			if (outcome == Outcome.OK && nowhere) {
				wrong(Wrong.LOST, number, "accepted, and neither stored nor a dead letter");
			}
			else if (outcome == Outcome.FAIL && (!nowhere || this.published.get(number))) {
				wrong(Wrong.REFUSED_BUT_THERE, number, "refused, but there");
			}
			else if (outcome == Outcome.UNSENT && !nowhere) {
				wrong(Wrong.FOREIGN, number, "never sent, but there");
			}
			if (bad && (outcome == Outcome.OK || !nowhere || this.published.get(number))) {
				wrong(Wrong.BAD_BUT_ACCEPTED, number, "bad, but accepted or there");
			}
			if (!bad && !this.workload.isUndecided(number) && this.history.wasRefused(number)) {
				wrong(Wrong.REFUSED_WITHOUT_CAUSE, number, "good, and refused with " + this.history.refusal(number));
			}
			if (this.dead[number] > 0 && this.stored[number] == 0 && isConflictWithNothing(number)) {
				wrong(Wrong.LOST, number, "dead for a conflict with a job that is not stored");
			}
			if (outcome != Outcome.OK && this.workload.isAcceptable(number)) {
				wrong(Wrong.NOT_ACCEPTED, number, "good, and never accepted");
			}
			if (this.stored[number] + this.dead[number] > 1) {
				wrong(Wrong.TWICE, number,
						"%d documents and %d dead letters".formatted(this.stored[number], this.dead[number]));
			}
			storedOnce += (this.stored[number] == 1) ? 1 : 0;
			deadLetters += (this.dead[number] == 1) ? 1 : 0;
			boolean wasRefused = outcome == Outcome.FAIL || this.history.wasRefused(number);
			refused += (nowhere && wasRefused) ? 1 : 0;
			givenUp += (nowhere && outcome == Outcome.UNKNOWN && !wasRefused) ? 1 : 0;
		}
		for (int stray : this.strays.acknowledged()) {
			if (!this.deadStrays.contains(stray)) {
				other(Wrong.LOST, "stray record %d is no dead letter".formatted(stray));
			}
		}
		judgeCorrections();
		return new Verdict(storedOnce, deadLetters, this.deadStrays.size(), refused, givenUp, this.deadAgain,
				this.counts, testimony());
	}

	/**
	 * Whether the other of two jobs with one key is not stored.
	 */
	private boolean isConflictWithNothing(int number) {
		int owner = this.workload.keyOwner(number);
		int other = (owner != number) ? owner : number + 1;
		return other < this.stored.length && this.workload.keyOwner(other) == owner && this.stored[other] == 0;
	}

	private void judgeCorrections() {
		this.strays.corrections().forEach((stray) -> {
			int documents = this.corrected.getOrDefault(stray, List.of()).size();
			if (documents == 0 && this.strays.isCorrected(stray)) {
				other(Wrong.LOST, "the correction of stray record %d is not stored".formatted(stray));
			}
			if (documents > 1) {
				other(Wrong.TWICE, "the correction of stray record %d is stored as %s".formatted(stray,
						this.corrected.get(stray)));
			}
		});
	}

	private void see(BsonDocument document) {
		BsonValue correctionOf = document.get("correctionOf");
		if (correctionOf != null && correctionOf.isInt32()
				&& this.strays.corrections().contains(correctionOf.asInt32().getValue())) {
			seeCorrection(correctionOf.asInt32().getValue(), document);
			return;
		}
		int number = number(document);
		if (number < 0) {
			other(Wrong.FOREIGN, "a document that nobody sent: " + abbreviate(document.toJson()));
			return;
		}
		this.stored[number]++;
		String job = this.workload.job(number);
		if (!Postings.same(job, document)) {
			wrong(Wrong.CHANGED, number, "the document differs from what was sent");
		}
		else if (!document.getDocument("_meta").getString("sha256").getValue().equals(Sha256.of(job))) {
			wrong(Wrong.CHANGED, number, "the digest differs from that of what was sent");
		}
		if (!this.history.hasId(number, document.getString("_id").getValue())) {
			wrong(Wrong.CHANGED, number, "the document has another id than the answer had");
		}
	}

	private void seeCorrection(int stray, BsonDocument document) {
		this.corrected.computeIfAbsent(stray, (any) -> new ArrayList<>()).add(document.getString("_id").getValue());
		if (!Postings.same(Strays.correction(stray), document)) {
			other(Wrong.CHANGED, "the correction of stray record %d differs from what was sent: %s".formatted(stray,
					abbreviate(document.toJson())));
		}
	}

	private void seeDeadLetter(ConsumerRecord<byte[], byte[]> record) {
		if (!this.deadPositions.add(Evidence.position(record))) {
			this.deadAgain++;
			return;
		}
		int stray = Strays.number(record);
		if (stray >= 0) {
			this.deadStrays.add(stray);
			if (!Arrays.equals(record.value(), Strays.value(stray))) {
				other(Wrong.CHANGED, "the dead letter of stray record %d differs from it".formatted(stray));
			}
			return;
		}
		int number = number(record);
		if (number < 0) {
			other(Wrong.FOREIGN, "a dead letter that nobody sent, of " + Evidence.position(record));
			return;
		}
		boolean mayConflict = this.workload.keyOwner(number) != number
				|| (number + 1 < this.history.size() && this.workload.keyOwner(number + 1) == number);
		if (!mayConflict || !Evidence.header(record, "dlt-reason").equals("conflict")) {
			wrong(Wrong.DEAD_WITHOUT_CAUSE, number, "a good job became a dead letter: %s, %s"
				.formatted(Evidence.header(record, "dlt-reason"), Evidence.header(record, "dlt-detail")));
		}
		if (!Arrays.equals(record.value(), this.workload.bytes(number))) {
			wrong(Wrong.CHANGED, number, "the dead letter differs from what was sent");
		}
		// a retry of a conflict is a record of its own: one job, dead more than once
		this.dead[number] = 1;
	}

	private void seeRecord(ConsumerRecord<byte[], byte[]> record, Map<TopicPartition, OffsetAndMetadata> committed) {
		int number = number(record);
		if (number >= 0) {
			this.published.set(number);
		}
		int stray = Strays.number(record);
		if (stray >= 0) {
			requireId(stray, record);
		}
		OffsetAndMetadata offset = committed.get(new TopicPartition(record.topic(), record.partition()));
		if (offset == null || record.offset() >= offset.offset()) {
			return;
		}
		boolean there = this.deadPositions.contains(record.partition() + "#" + record.offset())
				|| (number >= 0 && this.stored[number] + this.dead[number] > 0)
				|| (isCorrection(stray, record) && this.corrected.containsKey(stray));
		if (!there && number >= 0) {
			wrong(Wrong.COMMITTED_BEYOND, number, "committed, and neither stored nor a dead letter");
		}
		else if (!there) {
			other(Wrong.COMMITTED_BEYOND, "record %d#%d is committed, and neither stored nor a dead letter"
				.formatted(record.partition(), record.offset()));
		}
	}

	/**
	 * A correction has the id that its key, or its position, would have given the stray.
	 */
	private void requireId(int stray, ConsumerRecord<byte[], byte[]> record) {
		String id = (record.key() != null) ? text(record.key())
				: "%s#%d#%d".formatted(record.topic(), record.partition(), record.offset());
		this.corrected.getOrDefault(stray, List.of())
			.stream()
			.filter((corrected) -> !corrected.equals(id))
			.forEach((corrected) -> other(Wrong.CHANGED,
					"the correction of stray record %d has the id %s, and not %s".formatted(stray, corrected, id)));
	}

	private static boolean isCorrection(int stray, ConsumerRecord<byte[], byte[]> record) {
		return stray >= 0 && record.value() != null
				&& new String(record.value(), StandardCharsets.UTF_8).equals(Strays.correction(stray));
	}

	private int number(ConsumerRecord<byte[], byte[]> record) {
		if (record.value() == null || Strays.number(record) >= 0) {
			return -1;
		}
		try {
			var json = Postings.json(new String(record.value(), StandardCharsets.UTF_8)).get("n");
			return (json != null && json.isInt() && json.intValue() < this.history.size()) ? json.intValue() : -1;
		}
		catch (JacksonException ex) {
			return -1;
		}
	}

	private int number(BsonDocument document) {
		BsonValue number = document.get("n");
		return (number instanceof BsonNumber integer && integer.intValue() < this.history.size()) ? integer.intValue()
				: -1;
	}

	private void wrong(Wrong kind, int number, String what) {
		this.counts.merge(kind, 1, Integer::sum);
		if (this.examples.size() < EXAMPLES) {
			this.examples.merge(number, what, (one, other) -> one + "; " + other);
		}
	}

	private void other(Wrong kind, String what) {
		this.counts.merge(kind, 1, Integer::sum);
		if (this.others.size() < EXAMPLES) {
			this.others.add("%s: %s".formatted(kind, what));
		}
	}

	/**
	 * For each of the first offending jobs its history, its records and its documents.
	 */
	private List<String> testimony() {
		Map<Integer, List<String>> found = new HashMap<>();
		BiConsumer<Integer, String> note = (number, what) -> found.computeIfAbsent(number, (any) -> new ArrayList<>())
			.add(what);
		if (!this.examples.isEmpty()) {
			this.evidence.forEachRecord((record) -> note.accept(number(record),
					"record %d#%d key %s".formatted(record.partition(), record.offset(), text(record.key()))));
			this.evidence.forEachDeadLetter((record) -> note.accept(number(record), "dead letter of %s: %s"
				.formatted(Evidence.position(record), Evidence.header(record, "dlt-reason"))));
			this.evidence.documents()
				.find()
				.forEach((document) -> note.accept(number(document), "document " + abbreviate(document.toJson())));
		}
		List<String> testimony = new ArrayList<>();
		this.examples.forEach((number, what) -> {
			testimony.add("job %d: %s".formatted(number, what));
			testimony.add("    history: " + this.history.tell(number));
			testimony.add("    sent: " + abbreviate(this.workload.job(number)));
			found.getOrDefault(number, List.of("nothing")).forEach((line) -> testimony.add("    found: " + line));
		});
		testimony.addAll(this.others);
		return testimony;
	}

	private static String text(byte[] key) {
		return (key != null) ? new String(key, StandardCharsets.UTF_8) : "none";
	}

	private static String abbreviate(String text) {
		return (text.length() > 200) ? text.substring(0, 200) + "..." : text;
	}

	/**
	 * What may be wrong.
	 */
	public enum Wrong {

		/** Accepted, and nowhere. */
		LOST,
		/** There more than once. */
		TWICE,
		/** Not as it was sent. */
		CHANGED,
		/** Refused, and yet there. */
		REFUSED_BUT_THERE,
		/** Bad, and yet accepted or there. */
		BAD_BUT_ACCEPTED,
		/** Good, and refused as if it were not. */
		REFUSED_WITHOUT_CAUSE,
		/** Good and sent again and again, also when all was healed, and not accepted. */
		NOT_ACCEPTED,
		/** A good job among the dead letters. */
		DEAD_WITHOUT_CAUSE,
		/** Committed before it was safe. */
		COMMITTED_BEYOND,
		/** There, and sent by nobody. */
		FOREIGN

	}

	/**
	 * The judgement.
	 *
	 * @param stored jobs that are one document
	 * @param deadLetters jobs that are one dead letter
	 * @param strays bad records of others that are one dead letter
	 * @param refused jobs that were refused and are nowhere
	 * @param givenUp jobs that nobody acknowledged and that are nowhere
	 * @param deadAgain records in the dead-letter topic that repeat one of the same
	 * original position
	 * @param wrongs how often something was wrong
	 * @param testimony the first offenders, with what is known of them
	 */
	public record Verdict(int stored, int deadLetters, int strays, int refused, int givenUp, int deadAgain,
			Map<Wrong, Integer> wrongs, List<String> testimony) {

		public boolean passed() {
			return this.wrongs.isEmpty();
		}

		private int count(Wrong wrong) {
			return this.wrongs.getOrDefault(wrong, 0);
		}

		@Override
		public String toString() {
			StringBuilder text = new StringBuilder(
					"%d stored once, %d dead letters, %d refused, %d given up and absent, %d lost, %d twice, %d changed"
						.formatted(this.stored, this.deadLetters + this.strays, this.refused, this.givenUp,
								count(Wrong.LOST), count(Wrong.TWICE), count(Wrong.CHANGED)));
			this.wrongs.forEach((wrong, count) -> {
				if (wrong.compareTo(Wrong.CHANGED) > 0) {
					text.append(", %d %s".formatted(count, wrong.name().toLowerCase().replace('_', ' ')));
				}
			});
			return text.toString();
		}

	}

}
