package jobs.endtoend.load;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

import jobs.endtoend.pair.Postings;
import org.jspecify.annotations.Nullable;

/**
 * The numbered jobs of a run: each can be made again from the seed and its number, which
 * stands in its field {@code n}.
 * <p>
 * Blocks of a hundred are uploads and single requests by turns. Some jobs are bad, some
 * have no {@code Idempotency-Key}, and some have the key of the job before them.
 *
 * @param seed what the run is made from
 * @param hasUndecided whether some are refused by one contract and taken by the next
 */
public record Workload(long seed, boolean hasUndecided) {

	public static final int BLOCK = 100;

	private static final List<String> POSTINGS = Postings.lines();

	private static final List<String> NUMBERS = List.of("0", "-0", "1.10", "2147483647", "2147483648",
			"-9223372036854775808", "9007199254740993", "0.1", "1e400", "5e-324",
			"0.1234567890123456789012345678901234", "1.7976931348623157e308", "-1.5E+3");

	private static final List<String> STRINGS = List.of("", " ", "\\u0000", "\\\"\\\\\\/\\n",
			"\u00e9\u4e2d\ud83d\ude00", "\\ud83d\\ude00", "$10,000", "a.b", "\u202e\ufeff\u2028");

	public Workload(long seed) {
		this(seed, false);
	}

	public boolean isUpload(int number) {
		return (number / BLOCK) % 2 == 0;
	}

	/**
	 * Whether a job breaks the contract and has to be refused.
	 */
	public boolean isBad(int number) {
		return number % 1009 == 7;
	}

	/**
	 * Whether a job is good or bad by the contract that is in force when it comes: it has
	 * a {@code grade} that is a number.
	 */
	public boolean isUndecided(int number) {
		return this.hasUndecided && number % 101 == 50 && !isBad(number);
	}

	/**
	 * Whether a job is accepted sooner or later: it is good, and has a key with which it
	 * is sent again.
	 */
	public boolean isAcceptable(int number) {
		return !isBad(number) && !isUndecided(number) && (isUpload(number) || key(number) != null);
	}

	/**
	 * The job whose {@code Idempotency-Key} a job has: mostly itself.
	 */
	public int keyOwner(int number) {
		return (!isUpload(number) && number % 1000 == 199) ? number - 1 : number;
	}

	/**
	 * The {@code Idempotency-Key} of a single request.
	 * @return the key, or {@code null} for one that has none
	 */
	@Nullable String key(int number) {
		return (number % 10 != 3) ? "job-%d-%d".formatted(this.seed, keyOwner(number)) : null;
	}

	public String uploadKey(int first) {
		return "upload-%d-%d".formatted(this.seed, first);
	}

	public String job(int number) {
		SplittableRandom random = new SplittableRandom(this.seed * 1_000_003 + number);
		String posting = POSTINGS.get(random.nextInt(POSTINGS.size()));
		StringBuilder job = new StringBuilder(posting.length() + 200).append('{');
		if (isBad(number)) {
			return job.append("\"title\":\" \",\"n\":").append(number).append('}').toString();
		}
		job.append(isUndecided(number) ? "\"grade\":7," : "");
		job.append("\"n\":").append(number).append(",\"more\":{\"numbers\":[");
		for (int i = 0; i < 3; i++) {
			job.append(NUMBERS.get(random.nextInt(NUMBERS.size()))).append(',');
		}
		job.append(random.nextLong()).append("],\"text\":\"").append(STRINGS.get(random.nextInt(STRINGS.size())));
		int size = random.nextInt(20_000);
		if (size == 0) {
			job.repeat('x', 200_000);
		}
		else if (size < 40) {
			job.repeat('y', 20_000);
		}
		return job.append("\"},").append(posting, 1, posting.length()).toString();
	}

	public byte[] bytes(int number) {
		return job(number).getBytes(StandardCharsets.UTF_8);
	}

}
