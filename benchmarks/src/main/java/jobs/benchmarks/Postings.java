package jobs.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The jobs that are sent: the lines of a file over and over, each with a number of its
 * own as its first field, by which it is known again in the database.
 */
final class Postings {

	private static final String NUMBER = "{\"n\":0         ,";

	private static final int DIGITS_AT = 5;

	private static final int DIGITS = 10;

	private final List<byte[]> lines;

	private Postings(List<byte[]> lines) {
		this.lines = lines;
	}

	static Postings read(Path file) throws IOException {
		List<byte[]> lines = Files.readAllLines(file)
			.stream()
			.map(String::strip)
			.filter((line) -> line.startsWith("{\""))
			.map((line) -> (NUMBER + line.substring(1)).getBytes(StandardCharsets.UTF_8))
			.toList();
		if (lines.isEmpty()) {
			throw new IllegalArgumentException("There is no job in '%s'".formatted(file));
		}
		return new Postings(lines);
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
