package jobs.kafkatomongo.document;

import java.time.Clock;

import jobs.contract.Contract;
import jobs.contract.NotAJobException;
import jobs.contract.NotAJobException.Fault;
import jobs.kafkatomongo.KafkaToMongoProperties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Turns a record, whoever wrote it, into the document to store, by the same
 * {@link Contract} as rest-to-kafka.
 */
@Component
public class JobParser {

	/** Bytes of a document, with room for the command. */
	private static final int DOCUMENT_BYTES = 16 * 1024 * 1024 - 64 * 1024;

	private final Contract contract = Contract.load();

	private final Clock clock;

	private final int maxSize;

	/** Parses values of up to {@code max-job-size}. */
	@Autowired
	JobParser(KafkaToMongoProperties properties) {
		this(Clock.systemUTC(), Math.toIntExact(properties.maxJobSize().toBytes()));
	}

	/** Parses values of up to {@code maxSize} bytes; the clock gives {@code storedAt}. */
	public JobParser(Clock clock, int maxSize) {
		this.clock = clock;
		this.maxSize = maxSize;
	}

	/** Makes a record's job, or throws NotAJobException where there can't be one. */
	public Job parse(ConsumerRecord<byte[], byte[]> record) throws NotAJobException {
		byte @Nullable [] value = record.value();
		if (value == null) {
			throw new NotAJobException(Fault.NOT_JSON, "The record has no value");
		}
		if (value.length > this.maxSize) {
			throw new NotAJobException(Fault.CONTRACT, "The value is larger than %d bytes".formatted(this.maxSize));
		}
		try (DocumentWriter document = new DocumentWriter(record, value, this.clock.millis())) {
			this.contract.read(value, document);
			if (document.size() > DOCUMENT_BYTES) {
				throw new NotAJobException(Fault.CONTRACT, "The document would be larger than MongoDB's 16 MiB");
			}
			return new Job(record, document.toDocument());
		}
	}

}
