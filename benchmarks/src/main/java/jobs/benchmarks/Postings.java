package jobs.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The jobs that are sent: the lines of a file over and over, each with a number of its
 * own as its first field, by which it is known again in the database.
 */
final class Postings {

	private static final String NUMBER = "{\"n\":0         ,";

	private static final Pattern FIRST_FIELD = Pattern.compile("\\s*\\{\\s*\"");

	private static final int DIGITS_AT = 5;

	private static final int DIGITS = 10;

	private final List<byte[]> lines;

	private final int skipped;

	private Postings(List<byte[]> lines, int skipped) {
		this.lines = lines;
		this.skipped = skipped;
	}

	static Postings read(Path file) throws IOException {
		List<String> all = Files.readAllLines(file).stream().filter((line) -> !line.isBlank()).toList();
		List<byte[]> lines = all.stream()
			.map(FIRST_FIELD::matcher)
			.filter(Matcher::lookingAt)
			.map((first) -> first.replaceFirst(NUMBER + '"').getBytes(StandardCharsets.UTF_8))
			.toList();
		if (lines.isEmpty()) {
			throw new IllegalArgumentException("There is no job in '%s'".formatted(file));
		}
		return new Postings(lines, all.size() - lines.size());
	}

	/**
	 * How many lines of the file have no place for a number.
	 */
	int skipped() {
		return this.skipped;
	}

	byte[] job(int number) {
		byte[] job = this.lines.get(number % this.lines.size()).clone();
		// JSON allows spaces after a number, not zeros before it: the length stays
		int at = DIGITS_AT;
		for (char digit : Integer.toString(number).toCharArray()) {
			job[at++] = (byte) digit;
		}
		for (; at < DIGITS_AT + DIGITS; at++) {
			job[at] = ' ';
		}
		return job;
	}

	int length(int number) {
		return this.lines.get(number % this.lines.size()).length;
	}

	double meanBytes() {
		return this.lines.stream().mapToInt((line) -> line.length).average().orElseThrow();
	}

}
