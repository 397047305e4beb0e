package jobs.benchmarks;

import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

import org.HdrHistogram.Histogram;

/**
 * The way of jobs through partitions, instances and shards that one machine can't run. It
 * plays each consumer of kafka-to-mongo: it takes what waits, up to a batch, parses it,
 * inserts it on all shards, and takes again. Jobs come at random times (Poisson).
 *
 * @param costs what was measured
 * @param partitions of the topic, shared evenly by the instances
 * @param instances of kafka-to-mongo, each with one consumer and CPU of its own
 * @param shards of MongoDB, over which the jobs of an insert are spread evenly
 */
record Simulation(Costs costs, int partitions, int instances, int shards) {

	/** What a batch may have, as {@code BoundedPoll.BATCH_BYTES} in jobs of 400 bytes. */
	private static final int BATCH = 2_600;

	/** As long as consumers have to be behind to be called overloaded. */
	private static final double BEHIND_SECONDS = 1;

	private static final double SECONDS = 10;

	private static final double WARM_UP_SECONDS = 2;

	/**
	 * Plays 10 s of a load.
	 * @param load jobs per second
	 * @param seed of the random times
	 */
	Seen run(double load, long seed) {
		Random random = new Random(seed);
		PriorityQueue<Consumer> consumers = new PriorityQueue<>(Comparator.comparingDouble(Consumer::time));
		for (int i = 0; i < Math.min(this.instances, this.partitions); i++) {
			int own = this.partitions / this.instances + ((i < this.partitions % this.instances) ? 1 : 0);
			consumers.add(new Consumer(load * own / this.partitions, random));
		}
		double[] shardFree = new double[this.shards];
		Histogram latencies = new Histogram(3);
		long jobs = 0;
		double first = 0;
		double last = 0;
		while (consumers.element().time < SECONDS) {
			// who is next at the database comes first
			Consumer consumer = consumers.remove();
			int stored = consumer.step(shardFree, latencies);
			if (stored > 0 && first == 0) {
				// counted is what is stored after this moment
				first = consumer.time;
			}
			else if (stored > 0) {
				jobs += stored;
				last = Math.max(last, consumer.time);
			}
			consumers.add(consumer);
		}
		boolean keepsUp = consumers.stream().allMatch((one) -> one.time - one.arrival < BEHIND_SECONDS);
		return new Seen(keepsUp, jobs / (last - first), latencies.getValueAtPercentile(50) / 1000.0,
				latencies.getValueAtPercentile(99) / 1000.0);
	}

	/** The parts of a consumer's time. */
	private final class Consumer {

		private final double rate;

		private final Random random;

		private final double[] batch = new double[BATCH];

		/** When the oldest job that was not taken yet came. */
		private double arrival;

		/** When it goes on. */
		private double time;

		/** Jobs that are parsed and go to the database now. */
		private int parsed;

		Consumer(double rate, Random random) {
			this.rate = rate;
			this.random = random;
			this.arrival = pause();
			this.time = this.arrival;
		}

		double time() {
			return this.time;
		}

		private double pause() {
			return -Math.log(1 - this.random.nextDouble()) / this.rate;
		}

		/** Takes and parses, or else inserts; returns how many jobs were stored. */
		int step(double[] shardFree, Histogram latencies) {
			if (this.parsed == 0) {
				this.time = Math.max(this.time, this.arrival);
				while (this.arrival <= this.time && this.parsed < BATCH) {
					this.batch[this.parsed++] = this.arrival;
					this.arrival += pause();
				}
				this.time += Simulation.this.costs.batch() + this.parsed * Simulation.this.costs.job();
				return 0;
			}
			insert(shardFree);
			int stored = (this.time > WARM_UP_SECONDS) ? this.parsed : 0;
			for (int i = 0; i < stored; i++) {
				latencies.recordValue(Math.round(1e6 * (this.time - this.batch[i] + Simulation.this.costs.publish())));
			}
			this.parsed = 0;
			return stored;
		}

		private void insert(double[] shardFree) {
			Costs costs = Simulation.this.costs;
			double there = this.time + costs.roundTrip() / 2;
			double perShard = (double) this.parsed / shardFree.length * costs.stored();
			for (int i = 0; i < shardFree.length; i++) {
				shardFree[i] = Math.max(shardFree[i], there) + perShard;
			}
			// a database waits for its disk or its members beside other inserts
			this.time = Arrays.stream(shardFree).max().orElseThrow() + costs.insert() + costs.roundTrip() / 2;
		}

	}

	/**
	 * What was measured, in seconds.
	 *
	 * @param publish from a POST to Kafka's acknowledgement
	 * @param batch of a consumer for a batch, however small
	 * @param job of a consumer for each job
	 * @param roundTrip to the database
	 * @param insert of the database for an insert, however small
	 * @param stored of the database for each job
	 */
	record Costs(double publish, double batch, double job, double roundTrip, double insert, double stored) {

		/**
		 * What {@link ScaleRows} has measured, beside a given database: how fast a
		 * backlog is stored, and how long a job takes that comes alone.
		 */
		static Costs of(Results results, Duration roundTrip, double insert, double stored) {
			double publish = results.need(ScaleRows.PUBLISHED, Contestants.BOTH) / 1000;
			double batch = results.need(ScaleRows.IDLE, Contestants.BOTH) / 1000 - publish;
			double job = 1 / results.need(ScaleRows.NEAR, Contestants.STORE) - batch / BATCH;
			return new Costs(publish, batch, job, roundTrip.toNanos() / 1e9, insert, stored);
		}

	}

	/**
	 * What was seen.
	 *
	 * @param keepsUp whether consumers were less than a second behind at the end
	 * @param perSecond jobs that were stored
	 * @param median milliseconds from a POST until the job is stored
	 * @param tail as long as one job in a hundred takes at least
	 */
	record Seen(boolean keepsUp, double perSecond, double median, double tail) {

	}

}
