package jobs.kafkatomongo.trial;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import jobs.contract.Contract;
import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.KeyReader;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetterCollection;
import jobs.kafkatomongo.deadletter.KeptRecord;
import jobs.kafkatomongo.document.DocumentJson;
import jobs.kafkatomongo.document.LargeRecords;
import jobs.kafkatomongo.document.RecordParser;
import jobs.kafkatomongo.document.RecordPosition;
import jobs.kafkatomongo.document.StoredMeta;
import jobs.kafkatomongo.document.Tombstone;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.jspecify.annotations.Nullable;

/** Checks what is there of a resource against a new contract, and writes nothing. */
final class Trial {

	/** Dead letters of a trial in memory; they may be larger than documents. */
	private static final int DEAD_LETTERS_TOGETHER = 4;

	/** One that somebody has changed may have no such time, by which they are read. */
	private static final Bson OPEN = KeptRecord.wholeOnes(Filters.and(Filters.eq("state", DeadLetter.State.OPEN.text()),
			Filters.type(DeadLetterCollection.FIRST_SEEN, BsonType.DATE_TIME)));

	private final Resource resource;

	private final Contract contract;

	private final RecordParser parser;

	private final CollectionScan documents;

	private final DeadLetterCollection deadLetters;

	private final Supplier<LastRecords> records;

	private final Pace pace = new Pace();

	private final Progress progress;

	/** Prepares a trial; a consumer is made for records alone. */
	Trial(Resource resource, Contract contract, MongoDatabase database, Supplier<LastRecords> records,
			Progress progress) {
		this.resource = resource;
		this.contract = contract;
		this.parser = new RecordParser(List.of(contract), resource.keys(), Clock.systemUTC(), resource.maxSize(),
				new LargeRecords(Runtime.getRuntime().maxMemory()));
		this.documents = new CollectionScan(database, resource);
		this.deadLetters = new DeadLetterCollection(
				database.getCollection(resource.deadLetterCollection(), BsonDocument.class));
		this.records = records;
		this.progress = progress;
	}

	/**
	 * Reads documents, dead letters and the last {@code count} records. Throws
	 * MongoException and KafkaException, at once where a backend does not answer at
	 * first.
	 */
	Outcome run(long count) throws InterruptedException {
		long total = this.documents.estimate()
				+ this.deadLetters.count(Filters.eq("state", DeadLetter.State.OPEN.text()));
		if (count == 0) {
			this.progress.total(total);
			return outcome(documents(), deadLetters(), null);
		}
		try (LastRecords last = this.records.get()) {
			this.progress.total(total + last.seek(this.resource.topic(), count));
			// first, since retention may delete them meanwhile
			Findings records = records(last);
			return outcome(documents(), deadLetters(), records.summary());
		}
	}

	private Outcome outcome(Findings documents, Findings deadLetters, Findings.@Nullable Summary records) {
		return new Outcome(this.resource.name(), this.contract.digest(), this.contract.warnings(), documents.summary(),
				deadLetters.summary(), records);
	}

	private Findings documents() throws InterruptedException {
		this.progress.part("Reading " + this.resource.collection());
		Findings findings = new Findings();
		while (this.documents.read((one) -> check(one, findings))) {
			this.pace.rest();
		}
		return findings;
	}

	private void check(RawBsonDocument document, Findings findings) {
		this.progress.done(1);
		if (Tombstone.isOne(document)) {
			return;
		}
		try {
			KeyReader keys = this.resource.keys().reader();
			this.contract.read(DocumentJson.posted(document).getBytes(StandardCharsets.UTF_8), keys);
			keys.requireAll();
			findings.pass();
		}
		catch (RefusedDocumentException ex) {
			findings.refuse(document.getString("_id").getValue(), StoredMeta.time(document, "acceptedAt"), ex);
		}
	}

	private Findings deadLetters() throws InterruptedException {
		this.progress.part("Reading " + this.resource.deadLetterCollection());
		Findings findings = new Findings();
		List<BsonDocument> some = open(null);
		while (!some.isEmpty()) {
			some.stream().map(KeptRecord::new).filter(KeptRecord::isWhole).forEach((kept) -> check(kept, findings));
			this.progress.done(some.size());
			BsonDocument last = some.getLast();
			some = new ArrayList<>();
			this.pace.rest();
			some = open(last);
		}
		return findings;
	}

	private List<BsonDocument> open(@Nullable BsonDocument last) throws InterruptedException {
		return Retries.of(() -> this.deadLetters.select(OPEN, last, DEAD_LETTERS_TOGETHER));
	}

	private void check(KeptRecord kept, Findings findings) {
		check(kept.id(), kept.toCheck(this.resource, null), null, findings);
	}

	private Findings records(LastRecords last) throws InterruptedException {
		this.progress.part("Reading the topic " + this.resource.topic());
		Findings findings = new Findings();
		for (List<ConsumerRecord<byte[], byte[]>> some = last.next(); !some.isEmpty(); some = last.next()) {
			for (ConsumerRecord<byte[], byte[]> one : some) {
				String id = RecordPosition.documentId(one);
				check(id, one, (one.timestamp() >= 0) ? Instant.ofEpochMilli(one.timestamp()) : null, findings);
			}
			this.progress.done(some.size());
			this.pace.rest();
		}
		return findings;
	}

	private void check(String id, ConsumerRecord<byte[], byte[]> record, @Nullable Instant acceptedAt,
			Findings findings) {
		try {
			this.parser.parse(record);
			findings.pass();
		}
		catch (RefusedDocumentException ex) {
			findings.refuse(id, acceptedAt, ex);
		}
	}

}
