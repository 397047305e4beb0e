package jobs.contract;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
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

	private final Contract contract = Contract.load();

	private byte[][] jobs = {};

	private int next;

	/**
	 * Reads the real postings.
	 * @throws IOException when the file with them is not there
	 */
	@Setup
	public void read() throws IOException {
		this.jobs = Files.readAllLines(Path.of("../end-to-end/src/test/resources/job-postings.ndjson"))
			.stream()
			.map((line) -> line.getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
	}

	/**
	 * Checks one job.
	 * @return the job
	 * @throws NotAJobException never, with these
	 */
	@Benchmark
	public byte[] check() throws NotAJobException {
		byte[] job = this.jobs[this.next++ % this.jobs.length];
		this.contract.check(job);
		return job;
	}

}
