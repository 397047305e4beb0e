package jobs.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to let a posted job pass: {@code ./benchmark --micro}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class ContractBenchmark {

	/** Today's contract, or one with rules such as others have. */
	@Param({ "job.schema.json", "src/test/resources/real-job.schema.json" })
	private String schema = "";

	private Contract contract = Contract.load();

	private byte[][] jobs = {};

	private int next;

	/**
	 * Reads the contract and the real postings, each with a number, as ./benchmark posts
	 * them.
	 * @throws IOException when the file with them is not there
	 */
	@Setup
	public void read() throws IOException {
		this.contract = new Contract(Files.readString(Path.of(this.schema)));
		List<String> lines = Files.readAllLines(Path.of("../end-to-end/src/test/resources/job-postings.ndjson"));
		this.jobs = IntStream.range(0, lines.size())
			.mapToObj((i) -> "{\"n\":%d,%s".formatted(i, lines.get(i).substring(1)).getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
	}

	/**
	 * Checks one job.
	 * @return the job
	 * @throws RefusedDocumentException never, with these
	 */
	@Benchmark
	public byte[] check() throws RefusedDocumentException {
		byte[] job = this.jobs[this.next++ % this.jobs.length];
		this.contract.check(job);
		return job;
	}

}
