package jobs.kafkatomongo.document;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jobs.kafkatomongo.Records;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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
 * What it costs to make a document of a record: {@code ./benchmark --micro}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 3)
@Measurement(iterations = 5, time = 2)
@Fork(2)
public class RecordParserBenchmark {

	private final RecordParser parser = Records.parser(Clock.systemUTC(), 1 << 20);

	private List<ConsumerRecord<byte[], byte[]>> records = List.of();

	private int next;

	/**
	 * Reads the real postings.
	 * @throws IOException when the file with them is not there
	 */
	@Setup
	public void read() throws IOException {
		byte[] key = "01a1fd85-e83b-7637-a88d-d78fef2cef97".getBytes(StandardCharsets.UTF_8);
		this.records = Files.readAllLines(Path.of("../end-to-end/src/test/resources/job-postings.ndjson"))
			.stream()
			.map((line) -> new ConsumerRecord<>("jobs-topic1", 0, 0, key, line.getBytes(StandardCharsets.UTF_8)))
			.toList();
	}

	/**
	 * Parses one record.
	 * @return the document
	 * @throws Exception never: these are good jobs
	 */
	@Benchmark
	public Object parse() throws Exception {
		return this.parser.parse(this.records.get(this.next++ % this.records.size()));
	}

}
