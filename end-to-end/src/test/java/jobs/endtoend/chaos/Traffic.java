package jobs.endtoend.chaos;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

import com.mongodb.client.model.Projections;
import jobs.endtoend.judge.Oracle;
import jobs.endtoend.load.Driver;
import jobs.endtoend.load.History;
import jobs.endtoend.load.History.Outcome;
import jobs.endtoend.load.Strays;
import jobs.endtoend.load.Workload;
import jobs.endtoend.pair.Evidence;
import jobs.endtoend.pair.Proxy;

/**
 * What one resource is sent in a run, and what is there of it.
 *
 * @param resource its name
 * @param workload what is sent
 * @param history what the driver was told
 * @param driver who sends it
 * @param strays bad records of others
 * @param evidence what is there
 */
record Traffic(String resource, Workload workload, History history, Driver driver, Strays strays,
		Evidence evidence) implements AutoCloseable {

	/**
	 * Traffic that has not begun.
	 * @param resource the name of the resource
	 * @param workload what to send
	 * @param documents how many, a multiple of the block
	 * @param cluster where to
	 */
	static Traffic to(String resource, Workload workload, int documents, Cluster cluster) {
		Evidence evidence = cluster.evidence(resource);
		History history = new History(documents);
		Driver driver = new Driver(workload, history, cluster.clientProxies.stream().map(Proxy::port).toList(),
				cluster.driver(), "/" + resource);
		return new Traffic(resource, workload, history, driver, new Strays(evidence.kafka(), evidence.topic()),
				evidence);
	}

	int documents() {
		return this.history.size();
	}

	/**
	 * Sends all that was not sent.
	 * @param seconds how long it takes, at a steady rate that catches up after an outage
	 */
	void run(long seconds) {
		this.driver.run(documents(), Math.max(1, documents() - this.history.settled()) / (double) seconds);
	}

	/**
	 * Sends at the rate that all would have in some time, until there is enough.
	 * @param seconds the time
	 * @param isEnough is looked at every ten seconds or so
	 */
	void runUntil(long seconds, BooleanSupplier isEnough) {
		this.driver.runUntil(isEnough, documents() / (double) seconds);
	}

	/** Whether each record of the dead-letter topic is a document, too. */
	boolean isEachDeadLetterShown() {
		Set<String> positions = new HashSet<>();
		this.evidence.forEachDeadLetter((record) -> positions
			.add(Evidence.header(record, "dlt-original-topic") + "#" + Evidence.position(record)));
		return this.evidence.deadLetters()
			.find()
			.projection(Projections.include("_id"))
			.map((document) -> document.getString("_id").getValue())
			.into(new HashSet<>())
			.containsAll(positions);
	}

	Oracle.Verdict judge() throws Exception {
		return Oracle.judge(this.workload, this.history, this.strays, this.evidence);
	}

	/**
	 * Whether documents met both contracts, the one that refuses them and the one that
	 * takes them.
	 * @return what is wrong
	 */
	List<String> judgeUndecided() {
		List<String> wrong = new ArrayList<>();
		if (this.workload.hasUndecided()) {
			long taken = undecided().filter((number) -> this.history.outcome(number) == Outcome.OK).count();
			long refused = undecided().filter((number) -> this.history.outcome(number) == Outcome.FAIL).count();
			System.out.printf("%s: the first contract has refused %d, and the second has taken %d of their kind%n",
					this.resource, refused, taken);
			if (taken == 0 || refused == 0) {
				wrong.add("%s have not met both contracts".formatted(this.resource));
			}
		}
		return wrong;
	}

	private IntStream undecided() {
		return IntStream.range(0, documents()).filter(this.workload::isUndecided);
	}

	@Override
	public void close() {
		this.strays.close();
	}

}
