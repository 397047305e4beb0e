package jobs.endtoend.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Aggregates;
import com.mongodb.client.model.RenameCollectionOptions;
import jobs.endtoend.pair.Access;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Pair;
import jobs.endtoend.pair.Proxy;
import jobs.endtoend.rights.KafkaLock;
import jobs.endtoend.rights.MongoLock;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import jobs.localstack.Readiness;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourcePatternFilter;
import org.apache.kafka.common.resource.ResourceType;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * An installation to break: three brokers that keep every record three times, a database,
 * two of each service as shipped, a {@link Proxy} in front of each process, and a
 * supervisor that starts again what has ended.
 */
final class Cluster implements AutoCloseable {

	static final String TOPIC = "jobs-topic1";

	static final String DEAD_LETTER_TOPIC = "jobs-topic1-dlt";

	static final String GROUP = "group-id-1";

	private static final int BROKERS = 3;

	private static final int SERVICES = 2;

	private static final Duration START_LIMIT = Duration.ofSeconds(120);

	private static final Duration BACK_LIMIT = Duration.ofSeconds(120);

	final List<Child> brokers = new ArrayList<>();

	final List<Proxy> brokerProxies = new ArrayList<>();

	final Child database;

	final Proxy databaseProxy;

	final List<Child> restToKafka = new ArrayList<>();

	final List<Proxy> clientProxies = new ArrayList<>();

	final List<Child> kafkaToMongo = new ArrayList<>();

	private final Path folder;

	private final Map<Child, Integer> ports = new HashMap<>();

	private final String kafka;

	/** Where all is locked. */
	final @Nullable Locks locks;

	/** Where there are three resources. */
	final @Nullable ResourcesFile resources;

	private final MongoClient mongo;

	private final Readiness readiness;

	private final Set<Child> mayEnd = ConcurrentHashMap.newKeySet();

	private final Set<Child> away = ConcurrentHashMap.newKeySet();

	private final List<Child> additional = new CopyOnWriteArrayList<>();

	private final List<String> ownEnds = new ArrayList<>();

	private @Nullable Stranger stranger;

	private volatile boolean closing;

	/**
	 * An installation to start.
	 * @param isLocked whether everybody is asked who they are, and all is encrypted
	 * @param hasResources whether a file names three resources
	 */
	Cluster(boolean isLocked, boolean hasResources) {
		try {
			this.folder = Files.createTempDirectory(Files.createDirectories(Path.of("target")), "chaos")
				.toAbsolutePath();
			this.locks = isLocked ? new Locks(tls()) : null;
			this.resources = hasResources ? new ResourcesFile(this.folder) : null;
			this.readiness = new Readiness(isLocked);
			int[] ports = IntStream.generate(Ports::free).limit(2 * BROKERS).toArray();
			for (int i = 0; i < BROKERS; i++) {
				addBroker(i, ports);
			}
			this.kafka = IntStream.range(0, BROKERS)
				.mapToObj((i) -> "127.0.0.1:" + ports[i])
				.collect(Collectors.joining(","));
			int port = Ports.free();
			List<String> options = new ArrayList<>(List.of("--setParameter", "enableTestCommands=1"));
			if (this.locks != null) {
				options.addAll(List.of(MongoLock.options(tls())));
			}
			this.database = Programs.mongo(this.folder.resolve("mongo"), port, this.folder.resolve("mongo.log"),
					options.toArray(String[]::new));
			this.ports.put(this.database, port);
			this.databaseProxy = new Proxy(port);
			// a connection that a killed MongoDB has left is not used again
			this.mongo = (this.locks != null) ? MongoLock.root(port, this.locks.tls())
					: MongoClients.create(uri(port) + "&maxIdleTimeMS=1000");
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		for (int i = 0; i < SERVICES; i++) {
			Child service = service("rest-to-kafka", i);
			this.restToKafka.add(service);
			this.clientProxies.add(new Proxy(port(service)));
			this.kafkaToMongo.add(service("kafka-to-mongo", i));
		}
		Runtime.getRuntime().addShutdownHook(new Thread(this::close));
	}

	/** What is there of a resource, with the names that follow from its own. */
	Evidence evidence(String resource) {
		MongoDatabase database = this.mongo.getDatabase("db");
		if (resource.equals("jobs")) {
			return new Evidence(this.kafka, TOPIC, DEAD_LETTER_TOPIC, GROUP,
					database.getCollection("jobs", BsonDocument.class),
					database.getCollection("deadLetters", BsonDocument.class));
		}
		return new Evidence(this.kafka, resource, resource + "-dlt", resource,
				database.getCollection(resource, BsonDocument.class),
				database.getCollection(resource + ".deadLetters", BsonDocument.class));
	}

	/**
	 * A broker with three listeners: for the others and for who judges, for the services
	 * by its proxy, and for the controllers.
	 */
	private void addBroker(int index, int[] ports) throws IOException {
		int proxied = Ports.free();
		Proxy proxy = new Proxy(proxied);
		String voters = IntStream.range(0, BROKERS)
			.mapToObj((i) -> "%d@127.0.0.1:%d".formatted(i, ports[BROKERS + i]))
			.collect(Collectors.joining(","));
		String settings = """
				node.id=%1$d
				listeners=DIRECT://127.0.0.1:%2$d,PROXIED://127.0.0.1:%3$d,CONTROLLER://127.0.0.1:%4$d
				advertised.listeners=DIRECT://127.0.0.1:%2$d,PROXIED://127.0.0.1:%5$d
				listener.security.protocol.map=DIRECT:PLAINTEXT,PROXIED:%8$s,CONTROLLER:PLAINTEXT
				inter.broker.listener.name=DIRECT
				controller.quorum.voters=%6$s
				default.replication.factor=3
				min.insync.replicas=2
				offsets.topic.replication.factor=3
				transaction.state.log.replication.factor=3
				transaction.state.log.min.isr=2
				log.cleaner.dedupe.buffer.size=16777216
				authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
				allow.everyone.if.no.acl.found=%9$s
				principal.builder.class=%7$s
				super.users=User:DIRECT;User:CONTROLLER
				""".formatted(index, ports[index], proxied, ports[BROKERS + index], proxy.port(), voters,
				ListenerPrincipals.class.getName(), (this.locks != null) ? "SASL_SSL" : "PLAINTEXT", this.locks == null)
				+ ((this.locks != null) ? KafkaLock.settings(tls(), "PROXIED") : "");
		Child broker = Programs.kafka(this.folder.resolve("kafka-" + index), ports[index],
				this.folder.resolve("kafka-%d.log".formatted(index)), settings.lines().toArray(String[]::new));
		this.ports.put(broker, ports[index]);
		this.brokers.add(broker);
		this.brokerProxies.add(proxy);
	}

	/**
	 * Where the database is. Drivers poll it: a stand-in for mongod that streams its
	 * state numbers the stream's replies wrongly, and drivers then drop all connections
	 * every ten seconds.
	 */
	private static String uri(int port) {
		return "mongodb://127.0.0.1:%d/db?serverMonitoringMode=poll".formatted(port);
	}

	private Child service(String name, int index) {
		int port = Ports.free();
		String bootstrap = this.brokerProxies.stream()
			.map((proxy) -> "127.0.0.1:" + proxy.port())
			.collect(Collectors.joining(","));
		Map<String, String> settings = new HashMap<>(Map.of("SPRING_KAFKA_BOOTSTRAP_SERVERS", bootstrap,
				"SPRING_MONGODB_URI", uri(this.databaseProxy.port())));
		if (this.locks != null) {
			settings.putAll(this.locks.settings(name, bootstrap, this.databaseProxy.port()));
		}
		if (this.resources != null) {
			settings.put("JOBS_RESOURCES", this.resources.address());
		}
		settings.put("SERVER_ADDRESS", "127.0.0.1");
		settings.put("SERVER_PORT", Integer.toString(port));
		Child service = Pair.service(name, "%s-%d".formatted(name, index), this.folder, settings);
		this.ports.put(service, port);
		return service;
	}

	/**
	 * How many metric series a service exports.
	 */
	long metricSeries(Child service) throws IOException {
		Access watcher = watcher();
		try (HttpClient client = watcher.client(Duration.ofSeconds(5))) {
			return client
				.send(watcher.request(port(service), "/actuator/prometheus").timeout(Duration.ofSeconds(10)).build(),
						BodyHandlers.ofLines())
				.body()
				.filter((line) -> !line.startsWith("#"))
				.count();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	/** How whoever sends jobs gets in. */
	Access driver() {
		return (this.locks != null) ? this.locks.driver() : Access.OPEN;
	}

	/** How the operator gets in. */
	Access operator() {
		return (this.locks != null) ? this.locks.operator() : Access.OPEN;
	}

	/** How whoever looks gets in. */
	Access watcher() {
		return (this.locks != null) ? this.locks.watcher() : Access.OPEN;
	}

	int port(Child child) {
		return this.ports.get(child);
	}

	Path folder() {
		return this.folder;
	}

	/** Certificates are read again once nothing changes beside them, as logs would. */
	private Path tls() {
		return this.folder.resolve("tls");
	}

	Cluster start() throws Exception {
		if (this.locks != null) {
			MongoLock.addUsers(this.folder, port(this.database));
		}
		this.database.start();
		this.brokers.forEach(Child::start);
		this.brokers.forEach((broker) -> broker.awaitReady(() -> Ports.isListening(port(broker)), START_LIMIT));
		if (this.locks != null) {
			try (Admin admin = admin()) {
				KafkaLock.addUsers(admin);
			}
			KafkaLock.giveRights(tls(), this.kafka, "--create-topics");
		}
		this.database.awaitReady(() -> Ports.isListening(port(this.database)), START_LIMIT);
		services().forEach(Child::start);
		services().forEach((service) -> service.awaitReady(() -> isReady(service), START_LIMIT));
		Thread.startVirtualThread(this::supervise);
		return this;
	}

	List<Child> services() {
		List<Child> services = new ArrayList<>(this.restToKafka);
		services.addAll(this.kafkaToMongo);
		return services;
	}

	private List<Child> all() {
		List<Child> all = services();
		all.addAll(this.brokers);
		all.add(this.database);
		return all;
	}

	/**
	 * The ports of the services, by their names.
	 */
	Map<String, Integer> servicePorts() {
		return services().stream().collect(Collectors.toMap(Child::name, this::port));
	}

	/**
	 * Waits until a process listens again, two minutes at most.
	 */
	void awaitListening(Child child) throws InterruptedException {
		long start = System.nanoTime();
		while (!Ports.isListening(port(child)) && System.nanoTime() - start < BACK_LIMIT.toNanos()) {
			Thread.sleep(100);
		}
	}

	/**
	 * What a restart policy does.
	 */
	private void supervise() {
		try {
			while (!this.closing) {
				Thread.sleep(1000);
				for (Child child : all()) {
					restartIfDead(child);
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized void restartIfDead(Child child) {
		if (!child.isAlive() && !this.closing && !this.away.contains(child)) {
			if (!this.mayEnd.remove(child)) {
				this.ownEnds.add(child.name());
			}
			child.start();
		}
	}

	/**
	 * Services that have ended without being told to.
	 */
	synchronized List<String> ownEnds() {
		return List.copyOf(this.ownEnds);
	}

	/**
	 * Ends a process, with {@code kill -9} or SIGTERM; the supervisor starts it again.
	 */
	void end(Child child, boolean kill) {
		this.mayEnd.add(child);
		if (kill) {
			child.kill();
		}
		else {
			child.close();
		}
	}

	/**
	 * Replaces the services in turn by some that have read all files anew. One that a
	 * fault keeps from being ready holds it up for a minute.
	 */
	void rollOut() throws InterruptedException {
		for (Child service : services()) {
			end(service, false);
			long start = System.nanoTime();
			while (!(service.isAlive() && isReady(service))
					&& System.nanoTime() - start < Duration.ofMinutes(1).toNanos()) {
				Thread.sleep(100);
			}
		}
	}

	/**
	 * Ends a process that stays away until it is brought back.
	 */
	void sendAway(Child child) {
		this.away.add(child);
		end(child, false);
	}

	void bringBack(Child child) {
		this.away.remove(child);
	}

	/**
	 * One more consumer of the group, which the caller ends.
	 */
	Child additionalConsumer(int index) {
		Child consumer = service("kafka-to-mongo", SERVICES + index).start();
		this.additional.add(consumer);
		return consumer;
	}

	void addPartition() throws Exception {
		try (Admin admin = admin()) {
			int partitions = admin.describeTopics(List.of(TOPIC))
				.allTopicNames()
				.get(30, TimeUnit.SECONDS)
				.get(TOPIC)
				.partitions()
				.size();
			admin.createPartitions(Map.of(TOPIC, NewPartitions.increaseTo(partitions + 1)))
				.all()
				.get(30, TimeUnit.SECONDS);
		}
	}

	/**
	 * Lets the groups of the jobs and of the documents with versions, which must have no
	 * member, begin again.
	 */
	void resetOffsets() throws Exception {
		try (Admin admin = admin()) {
			// one that could not say good-bye is a member until its session ends
			List<String> groups = new ArrayList<>(List.of(GROUP, GROUP + "-dead-letters"));
			if (this.resources != null) {
				groups.add(ResourcesFile.VERSIONED);
			}
			for (String group : groups) {
				Awaitility.await().atMost(60, TimeUnit.SECONDS).until(() -> isDeleted(admin, group));
			}
		}
	}

	private static boolean isDeleted(Admin admin, String group) throws InterruptedException, TimeoutException {
		try {
			admin.deleteConsumerGroups(List.of(group)).all().get(30, TimeUnit.SECONDS);
			return true;
		}
		catch (ExecutionException ex) {
			return ex.getCause() instanceof GroupIdNotFoundException;
		}
	}

	/**
	 * Forbids the services to do something with a topic or group. Where there is a rule,
	 * whatever none allows is forbidden, so a second rule allows the rest, unless they
	 * have their rights by name.
	 */
	void forbid(ResourceType type, String name, AclOperation operation) throws Exception {
		ResourcePattern what = new ResourcePattern(type, name, PatternType.LITERAL);
		try (Admin admin = admin()) {
			List<AclBinding> rules = new ArrayList<>(List
				.of(new AclBinding(what, new AccessControlEntry("User:*", "*", operation, AclPermissionType.DENY))));
			if (this.locks == null) {
				rules.add(new AclBinding(what,
						new AccessControlEntry("User:*", "*", AclOperation.ALL, AclPermissionType.ALLOW)));
			}
			admin.createAcls(rules).all().get(30, TimeUnit.SECONDS);
		}
	}

	/** Lets the services do all with a topic or group that they may. */
	void forbidNothing(ResourceType type, String name) throws Exception {
		AclBindingFilter forbidden = new AclBindingFilter(new ResourcePatternFilter(type, name, PatternType.LITERAL),
				new AccessControlEntryFilter("User:*", null, AclOperation.ANY, AclPermissionType.ANY));
		try (Admin admin = admin()) {
			admin.deleteAcls(List.of(forbidden)).all().get(30, TimeUnit.SECONDS);
		}
	}

	void requireInSync(int replicas) throws Exception {
		set(TOPIC, "min.insync.replicas", Integer.toString(replicas));
	}

	/** Sets a setting of a topic. */
	void set(String topic, String name, String value) throws Exception {
		alter(topic, new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
	}

	/** Has the setting of a topic be the broker's. */
	void reset(String topic, String name) throws Exception {
		alter(topic, new ConfigEntry(name, null), AlterConfigOp.OpType.DELETE);
	}

	private void alter(String topic, ConfigEntry setting, AlterConfigOp.OpType type) throws Exception {
		try (Admin admin = admin()) {
			admin
				.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.TOPIC, topic),
						List.of(new AlterConfigOp(setting, type))))
				.all()
				.get(30, TimeUnit.SECONDS);
		}
	}

	/** Somebody's tool takes partitions of the group, and commits what it reads. */
	void letStrangerJoin() {
		this.stranger = new Stranger(this.kafka, GROUP, TOPIC);
	}

	void endStranger() throws InterruptedException {
		Objects.requireNonNull(this.stranger).leave();
		this.stranger = null;
	}

	/**
	 * Has all documents of a collection in one that is new, and has no index but that of
	 * the ids: the jobs, or where there are several resources the documents with
	 * versions, which are few. A stand-in of mongod renames a collection document by
	 * document, and a kill in the middle of that loses some. Services write none
	 * meanwhile, which would stay out of it.
	 */
	void dropAndRestoreCollection() throws InterruptedException {
		String name = (this.resources != null) ? ResourcesFile.VERSIONED : "jobs";
		MongoDatabase database = this.mongo.getDatabase("db");
		failInserts(new Document("errorCode", 10107));
		try {
			// for the inserts that had begun
			Thread.sleep(1000);
			database.getCollection(name, BsonDocument.class)
				.aggregate(List.of(Aggregates.out("restored")))
				.toCollection();
			// a service that starts makes the collection with its indexes
			database.getCollection("restored")
				.renameCollection(new MongoNamespace("db", name), new RenameCollectionOptions().dropTarget(true));
		}
		finally {
			failNoMore();
		}
	}

	private Admin admin() {
		return Admin.create(Map.of("bootstrap.servers", this.kafka));
	}

	boolean hasFailPoints() {
		return this.database.name().contains("mongod");
	}

	/**
	 * Lets inserts fail in MongoDB, and the updates by which versions are written.
	 * @param data of the fail point {@code failCommand}
	 */
	void failInserts(Document data) {
		failPoint(new Document("configureFailPoint", "failCommand").append("mode", "alwaysOn")
			.append("data", data.append("failCommands",
					(this.resources != null) ? List.of("insert", "update") : List.of("insert"))));
	}

	void failNoMore() {
		failPoint(new Document("configureFailPoint", "failCommand").append("mode", "off"));
	}

	/** Takes the right to insert from the services. */
	void takeInserts() {
		MongoLock.take(this.mongo, "insert");
	}

	void giveInsertsBack() {
		MongoLock.giveBack(this.mongo);
	}

	private void failPoint(Document command) {
		this.mongo.getDatabase("admin").runCommand(command);
	}

	boolean isReady(Child service) {
		return this.readiness.isAt(port(service));
	}

	@Override
	public synchronized void close() {
		if (this.closing) {
			return;
		}
		this.closing = true;
		Stream.concat(all().stream(), this.additional.stream()).filter(Child::isAlive).forEach(Child::kill);
		this.mongo.close();
		if (this.locks != null) {
			this.locks.close();
		}
	}

}
