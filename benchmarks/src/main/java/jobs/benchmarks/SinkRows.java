package jobs.benchmarks;

import java.time.Duration;
import java.util.List;

import jobs.benchmarks.Results.Work;
import jobs.benchmarks.Session.Step;
import jobs.benchmarks.Session.WarmUp;

/**
 * Moving jobs from a topic to the database: kafka-to-mongo beside a raw loop and
 * MongoDB's connector, and how it grows.
 */
final class SinkRows {

	private static final Duration LIMIT = Duration.ofMinutes(3);

	private static final String USUAL = "the usual backlog";

	private static final String FEW = "few stored";

	private final Session session;

	private final Plan plan;

	private final Stage stage;

	private final Feed feed;

	private final Postings postings;

	SinkRows(Session session, Stage stage, Feed feed, Postings postings) {
		this.session = session;
		this.plan = session.plan();
		this.stage = stage;
		this.feed = feed;
		this.postings = postings;
	}

	/**
	 * Measures all sinks.
	 * @param all whether also with the black hole, and not the database alone
	 * @return how many jobs per second kafka-to-mongo stores in the database, 0 where
	 * there is none
	 */
	double measure(List<Sink> sinks, boolean all) throws Exception {
		this.session.warmUp(sinks.stream()
			.map((sink) -> new WarmUp(sink.who(), sink.process(),
					() -> sink.drain(this.feed, this.plan.backlog() / 2, false, LIMIT)))
			.toList());
		Work forgotten = this.session.work("Topic to black hole, backlog of %,d".formatted(this.plan.backlog()),
				"jobs/s", Contestants.LOOP);
		if (all) {
			this.session.rounds(forgotten, this.plan.rounds(),
					sinks.stream()
						.<Step>map((sink) -> () -> drain(forgotten, sink, sink.who(), this.plan.backlog(), false))
						.toList());
			measureDistances(sinks);
		}
		double stored = 0;
		if (this.stage.database() != 0) {
			Database database = new Database(this.stage.database());
			for (Sink other : sinks.subList(1, sinks.size())) {
				database.copyIndexes(sinks.getFirst().database(), other.database());
			}
			stored = measureStoring(sinks);
		}
		else {
			this.session.note("There was no mongod on the PATH: all rows with a durable database are missing.");
		}
		Work memory = this.session.work("Memory under these loads, topic to database", "MiB", Contestants.LOOP);
		for (Sink sink : sinks) {
			double mebibytes = Usage.peakMebibytes(sink.process());
			memory.add(sink.who(), mebibytes, Double.NaN, mebibytes);
		}
		return stored;
	}

	private void measureDistances(List<Sink> sinks) throws Exception {
		int backlog = this.plan.backlog() / 4;
		for (Duration distance : this.plan.distances()) {
			Work away = this.session.work(
					"Topic to black hole %d ms away, backlog of %,d".formatted(distance.toMillis(), backlog), "jobs/s",
					Contestants.LOOP);
			Sink.moveAway(sinks, distance);
			this.session.rounds(away, this.plan.rounds(),
					sinks.stream().<Step>map((sink) -> () -> drain(away, sink, sink.who(), backlog, false)).toList());
			Sink.moveAway(sinks, Duration.ZERO);
		}
	}

	private double measureStoring(List<Sink> sinks) throws Exception {
		Work work = this.session.work(
				"Topic to mongod, %,d jobs or %d s".formatted(this.plan.stored(), this.plan.storedLimit().toSeconds()),
				"jobs/s", Contestants.LOOP);
		this.session.rounds(work, this.plan.rounds(),
				sinks.stream()
					.<Step>map((sink) -> () -> drain(work, sink, sink.who(), this.plan.stored(), true))
					.toList());
		return work.of(Contestants.STORE).median();
	}

	/**
	 * Measures a round in which a backlog runs off.
	 * @return what it saw
	 */
	String drain(Work work, Sink sink, String who, int jobs, boolean store) throws Exception {
		Sink.Drain drain = sink.drain(this.feed, jobs, store, store ? this.plan.storedLimit() : LIMIT);
		work.add(who, drain.perSecond(), drain.cpuMicros(), Usage.peakMebibytes(sink.process()));
		if (drain.repeated() > 0) {
			this.session.note("%s, %s: %,d jobs were written more than once and count as often.".formatted(work.name(),
					who, drain.repeated()));
		}
		return "%s %,.0f jobs/s, %.1f us of CPU each".formatted(who, drain.perSecond(), drain.cpuMicros());
	}

	/**
	 * Measures whether a long backlog or a full database makes kafka-to-mongo slower.
	 */
	void measureGrowth(Sink store) throws Exception {
		Work lag = this.session.work("Growth: backlog of %,d".formatted(this.plan.lag()), "jobs/s", USUAL);
		this.session.rounds(lag, this.plan.growthRounds(),
				List.of(() -> drain(lag, store, USUAL, this.plan.backlog(), false),
						() -> drain(lag, store, store.who(), this.plan.lag(), false)));
		if (this.stage.database() == 0) {
			return;
		}
		Database database = new Database(this.stage.database());
		store.drain(this.feed, this.plan.stored(), true, this.plan.storedLimit());
		this.session.say("Emptying the database");
		database.clear(store.database());
		measureWithDocuments(FEW, store);
		this.session.say("Filling the database");
		database.fill(store.database(), this.postings, this.plan.documents());
		measureWithDocuments(store.who(), store);
	}

	private void measureWithDocuments(String who, Sink store) throws Exception {
		Work documents = this.session.work("Growth: %,d documents stored".formatted(this.plan.documents()), "jobs/s",
				FEW);
		this.session.rounds(documents, this.plan.growthRounds(),
				List.of(() -> drain(documents, store, who, this.plan.stored(), true)));
	}

}
