package jobs.kafkatomongo.document;

import java.time.Clock;
import java.util.List;
import java.util.Objects;

import jobs.contract.Contract;
import jobs.contract.RefusedDocumentException;
import jobs.contract.RefusedDocumentException.Fault;
import jobs.contract.resources.KeyFields;
import jobs.contract.resources.Resource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Turns a record, whoever wrote it, into the document to store, by the same
 * {@link Contract} as rest-to-kafka.
 */
@Component
public class RecordParser {

	private final List<Contract> contracts;

	private final KeyFields keys;

	private final Clock clock;

	private final int maxSize;

	private final LargeRecords large;

	@Autowired
	RecordParser(Resource resource, LargeRecords large) {
		this(resource.contracts(), resource.keys(), Clock.systemUTC(), resource.maxSize(), large);
	}

	/**
	 * Parses values that keep one of some contracts, of up to {@code maxSize} bytes where
	 * rest-to-kafka did not accept them, and of what there is room for; the clock gives
	 * {@code storedAt}. Where documents have versions, a record without a value deletes
	 * one.
	 */
	public RecordParser(List<Contract> contracts, KeyFields keys, Clock clock, int maxSize, LargeRecords large) {
		this.contracts = contracts.reversed();
		this.keys = keys;
		this.clock = clock;
		this.maxSize = maxSize;
		this.large = large;
	}

	/**
	 * Makes a record's document, or throws RefusedDocumentException where there can't be
	 * one, with the words of the newest contract.
	 */
	public ParsedRecord parse(ConsumerRecord<byte[], byte[]> record) throws RefusedDocumentException {
		byte @Nullable [] value = record.value();
		if (value == null && this.keys.version() != null) {
			return Deletion.parse(record, this.clock.instant());
		}
		if (value == null) {
			throw new RefusedDocumentException(Fault.NOT_JSON, "The record has no value");
		}
		if (!RecordOrigin.mayHave(value.length, record.headers(), this.maxSize)) {
			throw new RefusedDocumentException(Fault.CONTRACT,
					"The value is larger than %d bytes".formatted(this.maxSize));
		}
		if (value.length > this.large.largest()) {
			throw new RefusedDocumentException(Fault.CONTRACT,
					"The value has %d bytes, and this service checks %d at most with the heap that it has"
						.formatted(value.length, this.large.largest()));
		}
		try (LargeRecords.Room _ = this.large.take(value.length)) {
			return parse(record, value);
		}
	}

	private ParsedRecord parse(ConsumerRecord<byte[], byte[]> record, byte[] value) throws RefusedDocumentException {
		RefusedDocumentException refusal = null;
		for (Contract contract : this.contracts) {
			try {
				return parse(record, value, contract);
			}
			catch (RefusedDocumentException ex) {
				if (ex.fault() == Fault.NOT_JSON) {
					throw ex;
				}
				refusal = (refusal != null) ? refusal : ex;
			}
		}
		throw Objects.requireNonNull(refusal);
	}

	private ParsedRecord parse(ConsumerRecord<byte[], byte[]> record, byte[] value, Contract contract)
			throws RefusedDocumentException {
		try (DocumentWriter document = new DocumentWriter(record, value, this.keys, this.clock.millis())) {
			contract.read(value, document.sinks());
			return document.finish();
		}
	}

}
