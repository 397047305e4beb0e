package jobs.benchmarks;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The jobs that are sent.
 */
class PostingsTests {

	@TempDir
	private Path folder;

	@Test
	void numbersTheLinesOverAndOver() throws Exception {
		Path file = Files.writeString(this.folder.resolve("jobs"), "{\"title\":\"a\"}\n\n{\"title\":\"bc\"}\n");
		Postings postings = Postings.read(file);

		assertThat(text(postings.job(0))).isEqualTo("{\"n\":0         ,\"title\":\"a\"}");
		assertThat(text(postings.job(2_000_000_001))).isEqualTo("{\"n\":2000000001,\"title\":\"bc\"}");
		assertThat(postings.length(1)).isEqualTo(postings.job(1).length);
	}

	@Test
	void refusesAFileWithoutJobs() throws Exception {
		Path file = Files.writeString(this.folder.resolve("none"), "title\n");

		assertThatIllegalArgumentException().isThrownBy(() -> Postings.read(file));
	}

	private static String text(byte[] job) {
		return new String(job, StandardCharsets.UTF_8);
	}

}
