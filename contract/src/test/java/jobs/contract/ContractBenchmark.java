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

	private static final String FIELDS = ",\"tags\":[\"java\",\"remote\"],\"salaryMin\":10000,\"employment\":\"full-time\"}";

	/** Today's contract, or one with rules such as others have. */
	@Param({ "job", "rich" })
	private String rules = "";

	private Contract contract = Contract.load();

	private byte[][] jobs = {};

	private int next;

	/**
	 * Reads the contract and the real postings, of which every other one gets the fields
	 * that only the rich contract knows.
	 * @throws IOException when the file with them is not there
	 */
	@Setup
	public void read() throws IOException {
		String schema = Files.readString(Path.of("job.schema.json"));
		this.contract = new Contract(this.rules.equals("rich") ? rich(schema) : schema);
		List<String> lines = Files.readAllLines(Path.of("../end-to-end/src/test/resources/job-postings.ndjson"));
		this.jobs = IntStream.range(0, lines.size())
			.mapToObj(
					(i) -> (i % 2 == 0) ? lines.get(i) : lines.get(i).substring(0, lines.get(i).length() - 1) + FIELDS)
			.map((line) -> line.getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
	}

	private static String rich(String schema) {
		return schema.replace("\"type\": \"string\"", "\"type\": \"string\", \"maxLength\": 20000")
			.replace("\"properties\": {", """
					"properties": {
					"tags": { "type": "array", "maxItems": 20, "items": { "type": "string" } },
					"salaryMin": { "type": "number", "minimum": 0 },
					"employment": { "enum": ["full-time", "part-time", "contract"] },
					""");
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
