package jobs.kafkatomongo.store;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.MongoWriteException;
import com.mongodb.ServerAddress;
import com.mongodb.WriteError;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.bulk.BulkWriteResult;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.InsertManyOptions;
import com.mongodb.client.model.Updates;
import com.mongodb.client.result.InsertManyResult;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.contract.RefusedDocumentException;
import jobs.kafkatomongo.Records;
import jobs.kafkatomongo.deadletter.DeadLetter;
import jobs.kafkatomongo.deadletter.DeadLetter.Reason;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.events.StoredEvents;
import jobs.kafkatomongo.mongo.MongoErrorCodes;
import jobs.testkit.Backends;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DocumentStoreTests {

	/**
	 * The codes with one of these categories in error_codes.yml: network, retriable, not
	 * primary, shutdown, interruption, cancellation, time limit, stale shard, snapshot,
	 * write concern, close connection, overloaded. Behind the line those without a
	 * category that tell of a state of MongoDB, not of a document.
	 */
	private static final String OUTAGES = """
			6 HostUnreachable
			7 HostNotFound
			24 LockTimeout
			50 MaxTimeMSExpired
			64 WriteConcernTimeout
			75 WriteConcernLegacyOK
			79 UnknownReplWriteConcern
			89 NetworkTimeout
			90 CallbackCanceled
			91 ShutdownInProgress
			100 UnsatisfiableWriteConcern
			134 ReadConcernMajorityNotAvailableYet
			150 StaleEpoch
			189 PrimarySteppedDown
			202 NetworkInterfaceExceededTimeLimit
			237 CursorKilled
			239 SnapshotTooOld
			246 SnapshotUnavailable
			250 StaleChunkHistory
			262 ExceededTimeLimit
			272 MigrationConflict
			279 ClientDisconnect
			281 TransactionCoordinatorSteppingDown
			282 TransactionCoordinatorReachedAbortDecision
			290 TransactionExceededLifetimeLimitSeconds
			303 SplitHorizonChange
			310 PeriodicJobIsStopped
			312 OperationIsKilledAndDelisted
			317 ConnectionPoolExpired
			333 ServiceExecutorInShutdown
			354 LoadBalancerSupportMismatch
			355 InterruptedDueToStorageChange
			358 InternalTransactionNotSupported
			372 CloseConnectionForShutdownCommand
			384 ConnectionError
			398 StreamTerminated
			402 ResourceExhausted
			406 MigrationBlockingOperationCoordinatorCleaningUp
			407 PooledConnectionAcquisitionExceededTimeLimit
			412 UpdatesStillPending
			433 AdmissionQueueOverflow
			449 RateLimitExceeded
			450 PooledConnectionAcquisitionRejected
			453 InterruptedDueToReshardingCriticalSection
			462 IngressRequestRateLimitExceeded
			9001 SocketException
			10107 NotWritablePrimary
			11600 InterruptedAtShutdown
			11601 Interrupted
			11602 InterruptedDueToReplStateChange
			13388 StaleConfig
			13435 NotPrimaryNoSecondaryOk
			13436 NotPrimaryOrSecondary
			46841 ClientMarkedKilled
			50915 BackupCursorOpenConflictWithCheckpoint
			91331 RetriableRemoteCommandFailure
			10045600 InterruptedDueToFCVChange
			--
			13 Unauthorized
			18 AuthenticationFailed
			20 IllegalOperation
			42 LogWriteFailed
			46 LockBusy
			63 StaleShardVersion, of old versions
			70 ShardNotFound
			71 ReplicaSetNotFound
			73 InvalidNamespace
			93 InvalidReplicaSetConfig
			94 NotYetInitialized
			107 LockFailed
			109 ConfigurationInProgress
			112 WriteConflict
			117 ConflictingOperationInProgress
			133 FailedToSatisfyReadPreference
			145 PooledConnectionsDropped
			146 ExceededMemoryLimit
			149 NoConfigPrimary
			166 CommandNotSupportedOnView
			203 ShardingStateNotInitialized
			208 TooManyLocks
			211 KeyNotFound, of the keys that sign the cluster's time
			215 DatabaseDropPending
			216 ElectionInProgress
			227 CannotImplicitlyCreateCollection
			249 StaleDbVersion
			261 TooManyLogicalSessions
			264 TooManyFilesOpen
			267 PreparedTransactionInProgress
			308 CurrentConfigNotCommittedYet
			319 MovePrimaryInProgress
			338 ReshardCollectionInProgress
			342 ReshardingCriticalSectionTimeout
			343 ShardCannotRefreshDueToLocksHeld
			363 RetryableTransactionInProgress
			365 TemporarilyUnavailable
			371 UserWritesBlocked
			391 ReauthenticationRequired
			414 AddOrRemoveShardInProgress
			8000 AtlasError
			10058 LegacyNotPrimary
			12586 BackgroundOperationInProgressForDatabase
			12587 BackgroundOperationInProgressForNamespace
			13297 DatabaseDifferCase
			14031 OutOfDiskSpace
			16500 TooManyRequests, of Azure's service
			56846 ConfigServerUnreachable
			""";

	/** A job is told from another by its position. */
	private static final AtomicLong OFFSETS = new AtomicLong();

	private static final MongoClient CLIENT = MongoClients.create(Backends.get().mongo("test"));

	private final MongoCollection<BsonDocument> collection = CLIENT.getDatabase("test-" + UUID.randomUUID())
		.getCollection("jobs", BsonDocument.class);

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final StoreMetrics metrics = new StoreMetrics(this.meters);

	private final StoredEvents events = new StoredEvents(CLIENT, Records.jobs("topic"));

	private final DocumentStore store = new DocumentStore(this.collection, this.metrics, this.events,
			Records.properties("topic"), Records.jobs("topic"));

	@AfterAll
	static void close() {
		CLIENT.close();
	}

	@Test
	void storesABatch() throws RefusedDocumentException {
		assertThat(store(this.store, List.of(job("1", "a"), job("2", "b")))).isEmpty();

		assertThat(this.collection.find()
			.map((document) -> document.getString("title").getValue())
			.into(new ArrayList<>())).containsExactlyInAnyOrder("a", "b");
	}

	@Test
	void countsWhatItStoresRecognisesAndRefuses() throws RefusedDocumentException {
		store(this.store, List.of(job("1", "a"), job("2", "b")));

		store(this.store, List.of(job("1", "a"), job("2", "other"), job("3", "c")));

		assertThat(this.meters.get("jobs.stored").counter().count()).isEqualTo(3);
		assertThat(this.meters.get("jobs.duplicates").counter().count()).isEqualTo(1);
		assertThat(this.meters.get("jobs.end.to.end").timer().count()).isEqualTo(3);
	}

	@Test
	void takesAJobThatIsStoredAlreadyForStored() throws RefusedDocumentException {
		store(this.store, List.of(job("1", "a"), job("2", "b")));

		assertThat(store(this.store, List.of(job("1", "a"), job("3", "c"), job("2", "b")))).isEmpty();

		assertThat(this.collection.countDocuments()).isEqualTo(3);
	}

	@Test
	void takesTheSameJobTwiceInOneBatchForOne() throws RefusedDocumentException {
		assertThat(store(this.store, List.of(job("1", "a"), job("1", "a"), job("2", "b")))).isEmpty();

		assertThat(this.collection.countDocuments()).isEqualTo(2);
	}

	@Test
	void refusesAnotherJobUnderTheSameIdAndStoresItsNeighbours() throws RefusedDocumentException {
		store(this.store, List.of(job("1", "first")));

		List<DeadLetter> refused = store(this.store, List.of(job("0", "a"), job("1", "second"), job("2", "b")));

		assertThat(refused).extracting(DeadLetter::reason).containsExactly(Reason.CONFLICT);
		assertThat(this.collection.countDocuments()).isEqualTo(3);
		assertThat(titles(Filters.eq("_id", "1"))).containsExactly("first");
	}

	@Test
	void takesAJobThatWasFormattedAnewForStored() throws RefusedDocumentException {
		store(this.store, List.of(job("1", "a")));

		assertThat(store(this.store, List.of(parse("1", "{ \"title\" : \"a\" }")))).isEmpty();
	}

	@Test
	void keepsWhatSomebodyEdited() throws RefusedDocumentException {
		store(this.store, List.of(job("1", "a")));
		this.collection.updateOne(Filters.eq("_id", "1"), Updates.set("title", "edited"));

		assertThat(store(this.store, List.of(job("1", "a")))).isEmpty();

		assertThat(titles(Filters.eq("_id", "1"))).containsExactly("edited");
	}

	@Test
	void refusesAJobThatAnotherUniqueIndexForbids() throws RefusedDocumentException {
		this.collection.createIndex(Indexes.ascending("title"), new IndexOptions().unique(true));
		store(this.store, List.of(job("1", "a")));

		List<DeadLetter> refused = store(this.store, List.of(job("2", "a"), job("3", "b")));

		assertThat(refused).singleElement().satisfies((deadLetter) -> {
			assertThat(deadLetter.reason()).isEqualTo(Reason.MONGODB);
			assertThat(deadLetter.code()).isEqualTo(11000);
		});
		assertThat(this.collection.countDocuments()).isEqualTo(2);
	}

	@Test
	void refusesAJobThatAValidatorForbids() throws RefusedDocumentException {
		DocumentStore forbidding = new DocumentStore(
				answering(new BulkWriteError(121, "not as it must be", new BsonDocument(), 1)), this.metrics,
				this.events, Records.properties("topic"), Records.jobs("topic"));

		List<DeadLetter> refused = store(forbidding, List.of(job("1", "a"), job("2", "b")));

		assertThat(refused).singleElement().satisfies((deadLetter) -> {
			assertThat(deadLetter.reason()).isEqualTo(Reason.MONGODB);
			assertThat(deadLetter.code()).isEqualTo(121);
			assertThat(deadLetter.record().key()).isEqualTo("2".getBytes(StandardCharsets.UTF_8));
		});
	}

	@Test
	void waitsOutAnErrorThatSaysNothingAboutAJob() {
		DocumentStore failing = new DocumentStore(
				answering(new BulkWriteError(121, "not as it must be", new BsonDocument(), 0),
						new BulkWriteError(14031, "out of disk space", new BsonDocument(), 1)),
				this.metrics, this.events, Records.properties("topic"), Records.jobs("topic"));

		assertThatExceptionOfType(MongoException.class)
			.isThrownBy(() -> store(failing, List.of(job("1", "a"), job("2", "b"))));
	}

	@Test
	void saysWhyABatchIsNotStoredWithoutTheValuesOfItsJobs() {
		DocumentStore failing = new DocumentStore(
				answering(new BulkWriteError(11000, "E11000 dup key: a secret", new BsonDocument(), 0),
						new BulkWriteError(14031, "out of disk space", new BsonDocument(), 1)),
				this.metrics, this.events, Records.properties("topic"), Records.jobs("topic"));

		assertThatExceptionOfType(MongoException.class)
			.isThrownBy(() -> store(failing, List.of(job("1", "a"), job("2", "b"))))
			.withMessageContaining("out of disk space")
			.withMessageNotContaining("secret")
			.withNoCause();
	}

	/**
	 * All codes of MongoDB's error_codes.yml, and the numbers around them, which index
	 * builders use.
	 */
	@Test
	void knowsForEveryCodeWhetherADocumentOrMongoDbIsAtFault() throws RefusedDocumentException {
		Set<Integer> expected = OUTAGES.lines()
			.filter((line) -> !line.equals("--"))
			.map((line) -> Integer.valueOf(line.split(" ")[0]))
			.collect(Collectors.toSet());
		Set<Integer> all = IntStream.range(1, 18_000).boxed().collect(Collectors.toSet());
		all.addAll(expected);
		all.addAll(Set.of(28769, 31082, 40413, 40414, 40415, 50768, 57986, 640570, 640571, 1003141, 4662500, 4938500,
				9737301, 9751901, 9751902, 9751903, 10171600));
		all.remove(MongoErrorCodes.DUPLICATE_KEY);
		List<ParsedRecord> batch = List.of(job("1", "a"), job("2", "b"));
		AtomicInteger current = new AtomicInteger();
		DocumentStore refusing = inserts(
				answering(() -> List.of(new BulkWriteError(current.get(), "no", new BsonDocument(), 0))));

		Set<Integer> outages = new HashSet<>();
		for (int code : all) {
			current.set(code);
			if (!isGivenUp(refusing, batch, code)) {
				outages.add(code);
			}
		}

		assertThat(outages).isEqualTo(expected);
	}

	/**
	 * Whether a job is given up of which MongoDB says so a few times, while it takes
	 * another one beside it.
	 */
	private static boolean isGivenUp(DocumentStore refusing, List<ParsedRecord> batch, int code) {
		for (int i = 0; i < 4; i++) {
			try {
				assertThat(store(refusing, batch)).singleElement().satisfies((deadLetter) -> {
					assertThat(deadLetter.reason()).isEqualTo(Reason.MONGODB);
					assertThat(deadLetter.code()).isEqualTo(code);
				});
				return true;
			}
			catch (MongoException ex) {
				// it is tried again
			}
		}
		return false;
	}

	/**
	 * A job beside which MongoDB takes nothing may be refused for a reason of MongoDB's.
	 */
	@Test
	void triesAJobForLongerWhileMongoDbTakesNoOther() throws RefusedDocumentException {
		MongoCollection<BsonDocument> refusing = answering(new BulkWriteError(4711, "no", new BsonDocument(), 0));
		havingStored(refusing, List.of(job("stored", "a")));
		DocumentStore inserts = new DocumentStore(refusing, this.metrics, this.events,
				Records.properties("topic", Duration.ofMillis(300)), Records.jobs("topic"));
		List<ParsedRecord> alone = List.of(job("1", "a"));
		long start = System.nanoTime();

		Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.ignoreExceptions()
			.until(() -> !store(inserts, alone).isEmpty());

		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofSeconds(3));
	}

	/** As one that alone is refused: what fails its command may be the document, too. */
	@Test
	void givesUpADocumentThatAloneFailsItsCommandWhileMongoDbRecognisesAnother() throws RefusedDocumentException {
		ParsedRecord bad = job("1", "a");
		MongoCollection<BsonDocument> failing = failingWith(bad, 4711);
		havingStored(failing, List.of(job("stored", "a")));
		DocumentStore inserts = inserts(failing);

		List<DeadLetter> refused = storeAtLast(inserts, List.of(bad));

		assertThat(refused).singleElement().satisfies((deadLetter) -> assertThat(deadLetter.code()).isEqualTo(4711));
	}

	/**
	 * A state whose code nobody knows begins in the middle of an insert. From then on
	 * MongoDB recognises what it has, and takes nothing: a duplicate is no proof that it
	 * writes.
	 */
	@Test
	void givesUpNoneOfManyJobsBecauseOthersAreRecognised() throws RefusedDocumentException {
		List<ParsedRecord> batch = jobs("job", 1000);
		Set<RawBsonDocument> well = batch.subList(0, 300)
			.stream()
			.map(ParsedRecord::document)
			.collect(Collectors.toSet());
		Set<RawBsonDocument> stored = new HashSet<>();
		MongoCollection<BsonDocument> collection = answeringTo((documents) -> {
			List<BulkWriteError> errors = new ArrayList<>();
			for (int i = 0; i < documents.size(); i++) {
				if (!well.contains(documents.get(i))) {
					errors.add(new BulkWriteError(4711, "no", new BsonDocument(), i));
				}
				else if (!stored.add(documents.get(i))) {
					errors.add(new BulkWriteError(MongoErrorCodes.DUPLICATE_KEY, "index: _id_ dup key",
							new BsonDocument(), i));
				}
			}
			if (!errors.isEmpty()) {
				throw failure(errors);
			}
		});
		havingStored(collection, batch.subList(0, 300));
		DocumentStore inserts = new DocumentStore(collection, this.metrics, this.events,
				Records.properties("topic", Duration.ofMillis(20)), Records.jobs("topic"));
		long start = System.nanoTime();

		while (System.nanoTime() - start < Duration.ofMillis(150).toNanos()) {
			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> store(inserts, batch));
		}
	}

	/** The first of two jobs with one id stays, also where it has to wait. */
	@Test
	void storesNoLaterJobOfTheIdOfOneThatWaits() throws RefusedDocumentException {
		ParsedRecord first = job("1", "first");
		ParsedRecord second = job("1", "second");
		AtomicInteger refusals = new AtomicInteger(1);
		List<RawBsonDocument> stored = new ArrayList<>();
		DocumentStore inserts = inserts(answeringTo((documents) -> {
			if (documents.contains(first.document()) && refusals.getAndDecrement() > 0) {
				stored.addAll(documents.stream().filter((one) -> !one.equals(first.document())).toList());
				throw failure(List
					.of(new BulkWriteError(4711, "no", new BsonDocument(), documents.indexOf(first.document()))));
			}
			stored.addAll(documents);
		}));

		assertThatExceptionOfType(MongoException.class)
			.isThrownBy(() -> store(inserts, List.of(first, job("2", "b")), List.of(second)));
		store(inserts, List.of(first), List.of(second));

		assertThat(stored).filteredOn((one) -> one.getString("_id").getValue().equals("1"))
			.startsWith(first.document());
	}

	/** It takes the place of the first, which became a dead letter. */
	@Test
	void storesALaterJobOfTheIdOfOneThatIsGivenUp() throws RefusedDocumentException {
		ParsedRecord first = job("1", "first");
		ParsedRecord second = job("1", "second");
		ParsedRecord other = job("2", "b");
		List<RawBsonDocument> stored = new ArrayList<>();
		DocumentStore inserts = inserts(answeringTo((documents) -> {
			stored.addAll(documents.stream().filter((one) -> !one.equals(first.document())).toList());
			if (documents.contains(first.document())) {
				throw failure(List.of(new BulkWriteError(4711, "no", new BsonDocument(), 0)));
			}
		}));

		List<DeadLetter> refused = storeAtLast(inserts, List.of(first, second, other));

		assertThat(refused).extracting(DeadLetter::record).containsExactly(first.record());
		assertThat(stored).contains(second.document());
	}

	/** As in a collection that is sharded by another field. */
	@Test
	void comparesAJobWithEachOfTheDocumentsThatHaveItsId() throws RefusedDocumentException {
		ParsedRecord job = parse("1", "{ \"title\" : \"b\" }");
		MongoCollection<BsonDocument> collection = answering(
				new BulkWriteError(MongoErrorCodes.DUPLICATE_KEY, "index: _id_ dup key", new BsonDocument(), 0));
		havingStored(collection, List.of(job("1", "a"), job("1", "b"), job("1", "c")));

		assertThat(store(inserts(collection), List.of(job))).isEmpty();

		havingStored(collection, List.of(job("1", "a"), job("1", "c")));
		assertThat(store(inserts(collection), List.of(job))).extracting(DeadLetter::reason)
			.containsExactly(Reason.CONFLICT);
	}

	/** One part has a document that waits; what is in the other is stored at once. */
	@Test
	void storesTheOtherHalfBesideADocumentThatWaits() throws RefusedDocumentException {
		ParsedRecord bad = job("bad", "a");
		Set<RawBsonDocument> stored = new HashSet<>();
		DocumentStore inserts = inserts(answeringTo((documents) -> {
			if (documents.size() > 2) {
				throw commandFailure(4711);
			}
			stored.addAll(documents.stream().filter((one) -> !one.equals(bad.document())).toList());
			if (documents.contains(bad.document())) {
				throw failure(
						List.of(new BulkWriteError(-4, "no", new BsonDocument(), documents.indexOf(bad.document()))));
			}
		}));

		assertThatExceptionOfType(MongoException.class)
			.isThrownBy(() -> store(inserts, List.of(job("1", "a"), job("2", "a"), bad, job("3", "a"))));

		assertThat(stored).hasSize(3);
	}

	/**
	 * A state of MongoDB whose code nobody knows refuses all of them.
	 */
	@Test
	void waitsWhileAllJobsOfABatchAreRefusedAndNoOtherIsTaken() {
		DocumentStore refusing = new DocumentStore(
				answering(new BulkWriteError(4711, "no", new BsonDocument(), 0),
						new BulkWriteError(4711, "no", new BsonDocument(), 1)),
				this.metrics, this.events, Records.properties("topic", Duration.ofMillis(10)), Records.jobs("topic"));
		long start = System.nanoTime();

		while (System.nanoTime() - start < Duration.ofMillis(500).toNanos()) {
			assertThatExceptionOfType(MongoException.class)
				.isThrownBy(() -> store(refusing, List.of(job("1", "a"), job("2", "b"))));
		}
	}

	/**
	 * An outage may begin in the middle of a command, and what was true before it must
	 * not count for ever.
	 */
	@Test
	void waitsWhileNoJobIsTakenAfterAnOutageHasBegunAmidABatch() {
		List<BulkWriteError> second = List.of(new BulkWriteError(4711, "no", new BsonDocument(), 1));
		List<BulkWriteError> both = List.of(new BulkWriteError(4711, "no", new BsonDocument(), 0), second.getFirst());
		AtomicInteger tries = new AtomicInteger();
		DocumentStore refusing = new DocumentStore(answering(() -> (tries.getAndIncrement() == 0) ? second : both),
				this.metrics, this.events, Records.properties("topic", Duration.ofMillis(10)), Records.jobs("topic"));
		long start = System.nanoTime();

		while (System.nanoTime() - start < Duration.ofMillis(500).toNanos()) {
			assertThatExceptionOfType(MongoException.class)
				.isThrownBy(() -> store(refusing, List.of(job("1", "a"), job("2", "b"))));
		}
	}

	/** After a restart the others of a batch are recognised, and none is taken. */
	@Test
	void givesUpAJobBesideWhichAllOthersAreStoredAlready() throws RefusedDocumentException {
		MongoCollection<BsonDocument> refusing = answering(
				new BulkWriteError(MongoErrorCodes.DUPLICATE_KEY, "index: _id_ dup key", new BsonDocument(), 0),
				new BulkWriteError(4711, "no", new BsonDocument(), 1));
		ParsedRecord stored = job("1", "a");
		ParsedRecord bad = job("2", "b");
		havingStored(refusing, List.of(stored));
		DocumentStore inserts = inserts(refusing);

		List<DeadLetter> refused = storeAtLast(inserts, List.of(stored, bad));

		assertThat(refused).singleElement().satisfies((deadLetter) -> assertThat(deadLetter.code()).isEqualTo(4711));
	}

	/** Its neighbours are new to MongoDB in the first try alone. */
	@Test
	void givesUpTheOneDocumentThatFailsAWholeCommandWhileItsNeighboursAreRecognised() throws RefusedDocumentException {
		ParsedRecord stored = job("1", "a");
		ParsedRecord bad = job("2", "b");
		AtomicInteger inserts = new AtomicInteger();
		MongoCollection<BsonDocument> refusing = answeringTo((documents) -> {
			if (documents.contains(bad.document())) {
				throw commandFailure(4711);
			}
			if (inserts.getAndIncrement() > 0) {
				throw failure(List.of(new BulkWriteError(MongoErrorCodes.DUPLICATE_KEY, "index: _id_ dup key",
						new BsonDocument(), 0)));
			}
		});
		havingStored(refusing, List.of(stored));
		DocumentStore store = inserts(refusing);

		List<DeadLetter> refused = storeAtLast(store, List.of(stored, bad));

		assertThat(refused).singleElement().satisfies((deadLetter) -> assertThat(deadLetter.code()).isEqualTo(4711));
	}

	@Test
	void findsTheOneDocumentThatFailsAWholeCommand() throws RefusedDocumentException {
		ParsedRecord bad = job("2", "b");
		DocumentStore refusing = inserts(failingWith(bad, 4711));
		List<ParsedRecord> batch = List.of(job("1", "a"), bad, job("3", "c"));

		List<DeadLetter> refused = storeAtLast(refusing, batch);

		assertThat(refused).singleElement().satisfies((deadLetter) -> assertThat(deadLetter.code()).isEqualTo(4711));
	}

	@Test
	void storesWhatComesAfterADocumentThatWaits() throws RefusedDocumentException {
		ParsedRecord waiting = job("2", "b");
		ParsedRecord bad = job("4", "d");
		List<List<RawBsonDocument>> taken = new ArrayList<>();
		DocumentStore refusing = inserts(answeringTo((documents) -> {
			if (documents.contains(bad.document())) {
				throw commandFailure(4711);
			}
			if (documents.contains(waiting.document())) {
				throw failure(List.of(new BulkWriteError(4712, "no", new BsonDocument(), 1)));
			}
			taken.add(documents);
		}));
		ParsedRecord after = job("3", "c");

		assertThatExceptionOfType(MongoException.class)
			.isThrownBy(() -> store(refusing, List.of(job("1", "a"), waiting, after, bad)));

		assertThat(taken).containsExactly(List.of(after.document()));
	}

	/** Not all that speak the protocol of MongoDB tell a code. */
	@Test
	void storesWhatComesAfterADocumentThatFailsItsCommandWithoutACode() throws RefusedDocumentException {
		ParsedRecord bad = job("1", "a");
		ParsedRecord after = job("2", "b");
		List<List<RawBsonDocument>> taken = new ArrayList<>();
		DocumentStore refusing = inserts(answeringTo((documents) -> {
			if (documents.contains(bad.document())) {
				throw new MongoCommandException(new BsonDocument("ok", new BsonInt32(0)), new ServerAddress());
			}
			taken.add(documents);
		}));

		assertThatExceptionOfType(MongoException.class).isThrownBy(() -> store(refusing, List.of(bad, after)));

		assertThat(taken).containsExactly(List.of(after.document()));
	}

	@Test
	void asksNoFurtherOnceMongoDbIsAway() throws RefusedDocumentException {
		List<List<RawBsonDocument>> asked = new ArrayList<>();
		DocumentStore refusing = inserts(answeringTo((documents) -> {
			asked.add(documents);
			throw (asked.size() == 1) ? commandFailure(4711) : new MongoTimeoutException("away");
		}));

		assertThatExceptionOfType(MongoTimeoutException.class)
			.isThrownBy(() -> store(refusing, List.of(job("1", "a"), job("2", "b"))));

		assertThat(asked).hasSize(2);
	}

	/**
	 * Each try of thousands, one by one, would take longer than Kafka waits for a poll.
	 */
	@Test
	void triesFewJobsAloneWhileMongoDbFailsEachCommand() throws RefusedDocumentException {
		AtomicInteger commands = new AtomicInteger();
		DocumentStore failing = inserts(answeringTo((documents) -> {
			commands.incrementAndGet();
			throw commandFailure(4711);
		}));
		List<ParsedRecord> batch = jobs("many", 4000);

		assertThatExceptionOfType(MongoException.class).isThrownBy(() -> store(failing, batch));

		assertThat(commands).hasValueLessThan(100);
	}

	/** None of a batch is left out, wherever those are that fail a command. */
	@Test
	void givesUpManyDocumentsThatFailWholeCommandsAndStoresAllOthers() throws RefusedDocumentException {
		List<ParsedRecord> bad = jobs("bad", 60);
		List<ParsedRecord> good = jobs("good", 60);
		Set<RawBsonDocument> refused = bad.stream().map(ParsedRecord::document).collect(Collectors.toSet());
		Set<RawBsonDocument> stored = new HashSet<>();
		MongoCollection<BsonDocument> collection = answeringTo((documents) -> {
			if (documents.stream().anyMatch(refused::contains)) {
				throw commandFailure(4711);
			}
			List<BulkWriteError> duplicates = IntStream.range(0, documents.size())
				.filter((index) -> !stored.add(documents.get(index)))
				.mapToObj((index) -> new BulkWriteError(MongoErrorCodes.DUPLICATE_KEY, "index: _id_ dup key",
						new BsonDocument(), index))
				.toList();
			if (!duplicates.isEmpty()) {
				throw failure(duplicates);
			}
		});
		havingStored(collection, good);
		DocumentStore refusing = inserts(collection);
		List<ParsedRecord> batch = new ArrayList<>(bad);
		batch.addAll(good);

		List<DeadLetter> deadLetters = Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.pollInterval(5, TimeUnit.MILLISECONDS)
			.ignoreExceptions()
			.until(() -> store(refusing, batch), (answer) -> true);

		assertThat(deadLetters).hasSize(60).allSatisfy((one) -> assertThat(one.code()).isEqualTo(4711));
		assertThat(stored).hasSize(60);
	}

	/** A batch of large documents has several inserts. */
	@Test
	void triesTheJobsOfALaterInsertAfterManyOfAnEarlierOneWereRefusedAlone() throws RefusedDocumentException {
		List<ParsedRecord> bad = jobs("bad", 30);
		DocumentStore refusing = inserts(answeringTo((documents) -> {
			if (documents.stream().anyMatch((one) -> one.getString("_id").getValue().startsWith("bad"))) {
				throw commandFailure(4711);
			}
		}));
		List<ParsedRecord> first = new ArrayList<>(bad.subList(0, 29));
		first.addAll(jobs("good", 10));
		List<ParsedRecord> second = List.of(bad.getLast(), job("good", "a"));

		List<DeadLetter> deadLetters = storeAtLast(refusing, first, second);

		assertThat(deadLetters).hasSize(30);
	}

	@Test
	void storesTheFirstOfTwoJobsWithOneIdAlsoBesideOneThatFailsTheCommand() throws RefusedDocumentException {
		for (int i = 0; i < 10; i++) {
			ParsedRecord bad = job("bad", "a");
			ParsedRecord first = job("1", "first");
			ParsedRecord second = job("1", "second");
			List<RawBsonDocument> stored = new ArrayList<>();
			DocumentStore refusing = inserts(answeringTo((documents) -> {
				if (documents.contains(bad.document())) {
					throw commandFailure(4711);
				}
				stored.addAll(documents);
			}));

			assertThatExceptionOfType(MongoException.class)
				.isThrownBy(() -> store(refusing, List.of(first, bad, second)));

			assertThat(stored).containsExactly(first.document(), second.document());
		}
	}

	private static List<ParsedRecord> jobs(String id, int count) throws RefusedDocumentException {
		List<ParsedRecord> jobs = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			jobs.add(job(id + i, "a"));
		}
		return jobs;
	}

	@Test
	void waitsWhenMongoDbFailsEachCommand() throws RefusedDocumentException {
		ParsedRecord one = job("1", "a");
		DocumentStore failing = inserts(failingWith(one, 4711));

		for (int i = 0; i < 20; i++) {
			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> store(failing, List.of(one)));
		}
	}

	/**
	 * A collection that fails each command with this job.
	 */
	private static MongoCollection<BsonDocument> failingWith(ParsedRecord job, int code) {
		return answeringTo((documents) -> {
			if (documents.contains(job.document())) {
				throw commandFailure(code);
			}
		});
	}

	private static MongoCommandException commandFailure(int code) {
		return new MongoCommandException(new BsonDocument("ok", new BsonInt32(0)).append("code", new BsonInt32(code)),
				new ServerAddress());
	}

	private static MongoBulkWriteException failure(List<BulkWriteError> errors) {
		return new MongoBulkWriteException(BulkWriteResult.unacknowledged(), errors, null, new ServerAddress(),
				Set.of());
	}

	private static MongoCollection<BsonDocument> answering(BulkWriteError... errors) {
		return answering(() -> List.of(errors));
	}

	/**
	 * A collection that takes all of a batch but what it has errors for: the stand-in
	 * knows no validators.
	 */
	private static MongoCollection<BsonDocument> answering(Supplier<List<BulkWriteError>> errors) {
		return answeringTo((documents) -> {
			throw failure(errors.get());
		});
	}

	/**
	 * A collection that recognises what it has.
	 */
	@SuppressWarnings("unchecked")
	private static void havingStored(MongoCollection<BsonDocument> collection, List<ParsedRecord> stored) {
		FindIterable<BsonDocument> found = Mockito.mock(FindIterable.class,
				Mockito.withSettings().stubOnly().defaultAnswer(Mockito.RETURNS_SELF));
		BDDMockito.willAnswer((call) -> {
			stored.forEach((job) -> call.<Consumer<BsonDocument>>getArgument(0).accept(job.document()));
			return null;
		}).given(found).forEach(ArgumentMatchers.any());
		BDDMockito.given(found.first()).willReturn(stored.isEmpty() ? null : stored.getFirst().document());
		BDDMockito.given(collection.find()).willReturn(found);
		BDDMockito.given(collection.find(ArgumentMatchers.any(Bson.class))).willReturn(found);
		BDDMockito
			.willThrow(new MongoWriteException(
					new WriteError(MongoErrorCodes.DUPLICATE_KEY, "index: _id_ dup key", new BsonDocument()),
					new ServerAddress(), Set.of()))
			.given(collection)
			.insertOne(ArgumentMatchers.any());
	}

	@SuppressWarnings("unchecked")
	private static MongoCollection<BsonDocument> answeringTo(Consumer<List<RawBsonDocument>> insert) {
		MongoCollection<BsonDocument> collection = Mockito.mock(MongoCollection.class,
				Mockito.withSettings().stubOnly().defaultAnswer(Mockito.RETURNS_SELF));
		BDDMockito
			.given(collection.insertMany(ArgumentMatchers.anyList(), ArgumentMatchers.any(InsertManyOptions.class)))
			.willAnswer((call) -> {
				insert.accept(call.getArgument(0));
				return InsertManyResult.unacknowledged();
			});
		havingStored(collection, List.of());
		return collection;
	}

	private DocumentStore inserts(MongoCollection<BsonDocument> collection) {
		return new DocumentStore(collection, this.metrics, this.events, Records.properties("topic"),
				Records.jobs("topic"));
	}

	@Test
	void throwsWhenMongoDbIsAway() {
		try (MongoClient away = MongoClients
			.create("mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100&connectTimeoutMS=100")) {
			DocumentStore nowhere = new DocumentStore(
					away.getDatabase("test").getCollection("jobs", BsonDocument.class), this.metrics, this.events,
					Records.properties("topic"), Records.jobs("topic"));

			assertThatExceptionOfType(MongoException.class).isThrownBy(() -> store(nowhere, List.of(job("1", "a"))));
		}
	}

	private List<String> titles(Bson filter) {
		return this.collection.find(filter)
			.map((document) -> document.getString("title").getValue())
			.into(new ArrayList<>());
	}

	private static ParsedRecord job(String id, String title) throws RefusedDocumentException {
		return parse(id, "{\"title\":\"%s\"}".formatted(title));
	}

	private static ParsedRecord parse(String id, String json) throws RefusedDocumentException {
		return Records.parser(Clock.systemUTC(), 1 << 20)
			.parse(Records.record(OFFSETS.getAndIncrement(), Records.utf8(id), Records.utf8(json)));
	}

	/** Tries as the listener does, until the batch is safe. */
	@SafeVarargs
	private static List<DeadLetter> storeAtLast(DocumentStore inserts, List<ParsedRecord>... parts) {
		return Awaitility.await()
			.atMost(30, TimeUnit.SECONDS)
			.ignoreExceptions()
			.until(() -> store(inserts, parts), (deadLetters) -> true);
	}

	@SafeVarargs
	private static List<DeadLetter> store(DocumentStore inserts, List<ParsedRecord>... parts) {
		StoreBatch batch = inserts.batch();
		for (List<ParsedRecord> part : parts) {
			batch.store(part);
		}
		return batch.end();
	}

}
