package jobs.endtoend.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Stream;

import jobs.endtoend.load.Strays;
import jobs.endtoend.pair.Proxy;
import jobs.endtoend.pair.Proxy.Network;
import jobs.endtoend.seen.Face;
import jobs.endtoend.seen.Faces;
import jobs.localstack.Child;
import jobs.testkit.Issuer;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.bson.Document;
import org.jspecify.annotations.Nullable;

/**
 * A fault at its time.
 *
 * @param kind what happens
 * @param at when, from the start of the run
 * @param lasts until it is healed
 */
record Fault(Kind kind, Duration at, Duration lasts) {

	/** Until what was struck may be struck again. */
	private static final Duration REST = Duration.ofSeconds(5);

	/**
	 * Plans the faults of a run, the same for the same seed: one begins every so often
	 * and goes on beside the next, each part of the installation struck by one at a time.
	 * The groups take turns, and in each group every kind comes before one comes again.
	 */
	static List<Fault> plan(long seed, int count, Duration every, Duration longest, List<List<Kind>> kinds) {
		SplittableRandom random = new SplittableRandom(seed);
		List<List<Kind>> groups = shuffled(kinds, random);
		groups.replaceAll((group) -> shuffled(group, random));
		Map<String, Duration> busyUntil = new HashMap<>();
		Map<Kind, Integer> uses = new HashMap<>();
		List<Fault> plan = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			Duration at = every.multipliedBy(i);
			Kind kind = deal(groups,
					(candidate) -> uses.getOrDefault(candidate, 0) < candidate.most() && candidate.strikes()
						.stream()
						.allMatch((part) -> busyUntil.getOrDefault(part, at).compareTo(at) <= 0));
			long most = Math.max(kind.shortest(), Math.min(longest.toSeconds(), kind.longest()));
			long least = Math.max(kind.shortest(), Math.min(5, most));
			long millis = (most == 0) ? 0 : random.nextLong(least * 1000L, most * 1000L + 1);
			Duration lasts = Duration.ofMillis(millis);
			kind.strikes().forEach((part) -> busyUntil.put(part, at.plus(lasts).plus(REST)));
			uses.merge(kind, 1, Integer::sum);
			plan.add(new Fault(kind, at, lasts));
		}
		return plan;
	}

	private static <T> List<T> shuffled(List<T> cards, SplittableRandom random) {
		List<T> shuffled = new ArrayList<>(cards);
		Collections.shuffle(shuffled, random);
		return shuffled;
	}

	/**
	 * Takes the first kind that can be, of the first group that has one, and puts both
	 * behind all others.
	 */
	private static Kind deal(List<List<Kind>> groups, Predicate<Kind> possible) {
		for (List<Kind> group : groups) {
			for (Kind kind : group) {
				if (possible.test(kind)) {
					group.remove(kind);
					group.add(kind);
					groups.remove(group);
					groups.add(group);
					return kind;
				}
			}
		}
		throw new IllegalStateException("All parts are busy: faults come too fast");
	}

	/**
	 * The kinds of faults that an installation can have, in groups of equal weight.
	 */
	static List<List<Kind>> kinds(Cluster cluster, Strays strays) {
		List<List<Kind>> kinds = new ArrayList<>();
		kinds.add(processes(cluster, cluster.restToKafka, null, null));
		kinds.add(processes(cluster, cluster.kafkaToMongo, null, null));
		kinds.add(processes(cluster, cluster.brokers, "brokers", Faces.BROKER_AWAY));
		kinds.add(processes(cluster, List.of(cluster.database), "database", Faces.MONGO_AWAY));
		kinds.add(cluster.clientProxies.stream()
			.flatMap((proxy) -> networks("clients-" + cluster.clientProxies.indexOf(proxy), List.of(proxy),
					Faces.CLIENTS_CUT, Faces.CLIENTS_CUT)
				.stream())
			.toList());
		List<Kind> kafka = new ArrayList<>(
				networks("services to Kafka", cluster.brokerProxies, Faces.KAFKA_AWAY, Faces.KAFKA_SLOW));
		cluster.brokerProxies
			.forEach((proxy) -> kafka.addAll(networks("services to broker " + cluster.brokerProxies.indexOf(proxy),
					List.of(proxy), Faces.BROKER_AWAY, Faces.KAFKA_SLOW)));
		kinds.add(kafka.stream().map((kind) -> kind.striking("services to Kafka")).toList());
		kinds.add(networks("services to MongoDB", List.of(cluster.databaseProxy), Faces.MONGO_AWAY, Faces.MONGO_SLOW));
		if (cluster.hasFailPoints()) {
			kinds.add(inserts(cluster));
		}
		kinds.add(refusals(cluster));
		kinds.add(group(cluster));
		kinds.add(settings(cluster));
		if (cluster.locks != null) {
			kinds.add(locks(cluster, cluster.locks));
		}
		kinds.add(List
			.of(new Kind("strays on the topic", Set.of("strays"), 25, 10, Faces.STRAYS, () -> strays.send(500), () -> {
			}), new Kind("one partition more", Set.of("topic"), 0, 6, Faces.PARTITION_MORE, cluster::addPartition,
					() -> {
					})));
		return kinds;
	}

	private static List<Kind> processes(Cluster cluster, List<Child> victims, @Nullable String part,
			@Nullable Face shared) {
		List<Kind> kinds = new ArrayList<>();
		for (Child victim : victims) {
			String name = (victims.size() > 1 && victim.name().equals("Kafka")) ? "broker " + victims.indexOf(victim)
					: victim.name().split(" ")[0];
			Set<String> parts = Set.of((part != null) ? part : name);
			int rest = (part != null) ? 5 : 1;
			Face face = (shared != null) ? shared : Faces.serviceAway(name);
			// an end lasts until the supervisor has brought it back
			Deed back = () -> cluster.awaitListening(victim);
			kinds.add(new Kind("SIGTERM " + name, parts, rest, 1000, face, () -> cluster.end(victim, false), back));
			kinds.add(new Kind("kill -9 " + name, parts, rest, 1000, face, () -> cluster.end(victim, true), back));
			kinds.add(new Kind("SIGSTOP " + name, parts, 60, 1000, face, () -> victim.signal("STOP"),
					() -> victim.signal("CONT")));
		}
		return kinds;
	}

	private static List<Kind> networks(String name, List<Proxy> proxies, Face away, Face slow) {
		List<Kind> kinds = new ArrayList<>();
		for (Network network : Network.values()) {
			if (network != Network.WELL) {
				kinds.add(
						new Kind(name + ": " + network, Set.of(name), 30, 1000, (network == Network.SLOW) ? slow : away,
								() -> proxies.forEach((proxy) -> proxy.become(network)),
								() -> proxies.forEach((proxy) -> proxy.become(Network.WELL))));
			}
		}
		return kinds;
	}

	/** What they do to a topic is not done before a run ends. */
	private static List<Kind> settings(Cluster cluster) {
		return List.of(
				new Kind("half an hour of retention", Set.of("settings"), 60, 1000, Faces.TOPIC_SETTING,
						() -> cluster.set(Cluster.TOPIC, "retention.ms", "1800000"),
						() -> cluster.reset(Cluster.TOPIC, "retention.ms"))
					.lastingFrom(55),
				new Kind("a compacted dead-letter topic", Set.of("settings"), 60, 1000,
						Faces.DEAD_LETTER_TOPIC_COMPACTED,
						() -> cluster.set(Cluster.DEAD_LETTER_TOPIC, "cleanup.policy", "compact"),
						() -> cluster.set(Cluster.DEAD_LETTER_TOPIC, "cleanup.policy", "delete"))
					.lastingFrom(55));
	}

	private static List<Kind> inserts(Cluster cluster) {
		Map<String, Document> answers = Map.of("not primary", new Document("errorCode", 10107), "not authorised",
				new Document("errorCode", 13), "disk full", new Document("errorCode", 14031), "write concern error",
				new Document("writeConcernError", new Document("code", 64).append("errmsg", "waiting for replication")),
				"closed connection", new Document("closeConnection", true), "5 s per insert",
				new Document("blockConnection", true).append("blockTimeMS", 5000));
		Kind dropped = new Kind("MongoDB: the collection dropped and restored", Set.of("database"), 50, 1000,
				Faces.COLLECTION_DROPPED, cluster::dropAndRestoreCollection, () -> {
				})
			.lastingFrom(45);
		return Stream
			.concat(Stream.of(dropped),
					answers.keySet()
						.stream()
						.sorted()
						.map((name) -> new Kind("MongoDB: " + name, Set.of("database"), 30, 1000,
								name.contains("per insert") ? Faces.MONGO_SLOW : Faces.MONGO_REFUSES,
								() -> cluster.failInserts(answers.get(name)), cluster::failNoMore)))
			.toList();
	}

	private static List<Kind> refusals(Cluster cluster) {
		Face mayNotRead = (cluster.resources != null) ? Faces.MAY_NOT_READ_ONE_OF_SEVERAL : Faces.MAY_NOT_READ;
		return List.of(new Kind("too few in-sync replicas", Set.of("brokers"), 30, 1000, Faces.TOO_FEW_IN_SYNC, () -> {
			cluster.requireInSync(3);
			cluster.brokers.getFirst().signal("STOP");
		}, () -> {
			cluster.brokers.getFirst().signal("CONT");
			cluster.requireInSync(2);
		}), forbidden(cluster, "to write jobs", ResourceType.TOPIC, Cluster.TOPIC, AclOperation.WRITE,
				Faces.MAY_NOT_WRITE),
				forbidden(cluster, "to read jobs", ResourceType.TOPIC, Cluster.TOPIC, AclOperation.READ, mayNotRead),
				forbidden(cluster, "to join the group", ResourceType.GROUP, Cluster.GROUP, AclOperation.READ,
						mayNotRead),
				forbidden(cluster, "to write dead letters", ResourceType.TOPIC, Cluster.DEAD_LETTER_TOPIC,
						AclOperation.WRITE, Faces.MAY_NOT_WRITE_DEAD_LETTERS));
	}

	private static Kind forbidden(Cluster cluster, String what, ResourceType type, String name, AclOperation operation,
			Face face) {
		return new Kind("not authorised " + what, Set.of("authorisation"), 30, 1000, face,
				() -> cluster.forbid(type, name, operation), () -> cluster.forbidNothing(type, name));
	}

	private static List<Kind> locks(Cluster cluster, Locks locks) {
		return List.of(
				new Kind("the issuer is away", Set.of("issuer"), 60, 1000, Faces.ISSUER_AWAY,
						() -> locks.issuer.answer(Issuer.Answer.NONE), () -> locks.issuer.answer(Issuer.Answer.KEYS)),
				new Kind("a certificate of another authority", Set.of("certificates"), 0, 1000,
						Faces.CERTIFICATE_REPLACED, locks::replaceCertificate, () -> {
						}),
				new Kind("MongoDB: the right to insert is taken", Set.of("database"), 30, 1000, Faces.MONGO_REFUSES,
						cluster::takeInserts, cluster::giveInsertsBack));
	}

	private static List<Kind> group(Cluster cluster) {
		List<Child> joined = new CopyOnWriteArrayList<>();
		return List.of(new Kind("three consumers join", Set.of("group"), 15, 1000, Faces.CONSUMERS_JOIN, () -> {
			while (joined.size() < 3) {
				joined.add(cluster.additionalConsumer(joined.size()));
			}
		}, () -> {
			List<Child> leaving = List.copyOf(joined);
			joined.removeAll(leaving);
			leaving.forEach(Child::close);
		}), new Kind("a stranger joins the group", Set.of("group"), 60, 1000, Faces.STRANGER_IN_GROUP,
				cluster::letStrangerJoin, cluster::endStranger)
			.lastingFrom(50),
				new Kind("offsets reset to earliest", Set.of("group", "kafka-to-mongo-0", "kafka-to-mongo-1"), 5, 3,
						Faces.offsetsReset(), () -> {
							cluster.kafkaToMongo.forEach((child) -> child.signal("CONT"));
							cluster.kafkaToMongo.forEach(cluster::sendAway);
							cluster.resetOffsets();
						}, () -> {
							cluster.kafkaToMongo.forEach(cluster::bringBack);
							for (Child child : cluster.kafkaToMongo) {
								cluster.awaitListening(child);
							}
						}));
	}

	/**
	 * A kind of fault.
	 *
	 * @param name what happens, in words
	 * @param strikes the parts of the installation that it strikes
	 * @param shortest the shortest it lasts, in seconds, or 0 for 5 seconds
	 * @param longest the longest it lasts, in seconds
	 * @param most how often a run may have it
	 * @param face what must and may be seen of it
	 * @param strike makes it happen
	 * @param heal ends it
	 */
	record Kind(String name, Set<String> strikes, int shortest, int longest, int most, Face face, Deed strike,
			Deed heal) {

		Kind(String name, Set<String> strikes, int longest, int most, Face face, Deed strike, Deed heal) {
			this(name, strikes, 0, longest, most, face, strike, heal);
		}

		Kind striking(String part) {
			return new Kind(this.name, Set.of(part), this.longest, this.most, this.face, this.strike, this.heal);
		}

		/** The same, as long as somebody needs to see it. */
		Kind lastingFrom(int seconds) {
			return new Kind(this.name, this.strikes, seconds, this.longest, this.most, this.face, this.strike,
					this.heal);
		}

	}

	/**
	 * Something done to an installation.
	 */
	interface Deed {

		void run() throws Exception;

	}

}
