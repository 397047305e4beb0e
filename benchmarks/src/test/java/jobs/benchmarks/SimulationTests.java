package jobs.benchmarks;

import jobs.benchmarks.Simulation.Costs;
import jobs.benchmarks.Simulation.Seen;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/** The simulation beside what can be calculated. */
class SimulationTests {

	@Test
	void takesAsLongAsItsPartsForAJobAlone() {
		Costs costs = new Costs(0.001, 0.002, 0.003, 0.010, 0.004, 0.005);

		Seen seen = new Simulation(costs, 1, 1, 1).run(0.5, 1);

		assertThat(seen.median()).isEqualTo(25, within(0.1));
	}

	@Test
	void storesAsManyAsItsSlowestPartLets() {
		Costs costs = new Costs(0, 0.001, 0.000_005, 0.020, 0, 0);

		Seen one = new Simulation(costs, 4, 1, 1).run(1e6, 1);
		Seen two = new Simulation(costs, 4, 2, 1).run(1e6, 1);

		// 2,600 jobs in 21 ms and 5 us for each
		assertThat(one.perSecond()).isEqualTo(76_470, within(2_000.0));
		assertThat(two.perSecond()).isEqualTo(2 * one.perSecond(), within(4_000.0));
		assertThat(one.keepsUp()).isFalse();
	}

	@Test
	void sharesADatabaseAmongInstancesButNotItsShards() {
		Costs costs = new Costs(0, 0.001, 0, 0, 0.005, 0.000_1);

		double alone = new Simulation(costs, 4, 1, 1).run(1e6, 1).perSecond();
		double two = new Simulation(costs, 4, 2, 1).run(1e6, 1).perSecond();
		double shards = new Simulation(costs, 4, 2, 2).run(1e6, 1).perSecond();

		assertThat(alone).isBetween(9_700.0, 10_200.0);
		assertThat(two).isBetween(9_800.0, 10_200.0);
		assertThat(shards).isBetween(19_500.0, 20_500.0);
	}

	@Test
	void keepsUpWithWhatItCanStore() {
		Costs costs = new Costs(0, 0.010, 0.000_01, 0, 0, 0);

		Seen seen = new Simulation(costs, 6, 1, 1).run(10_000, 1);

		assertThat(seen.keepsUp()).isTrue();
		assertThat(seen.perSecond()).isEqualTo(10_000, within(200.0));
		// a batch of n jobs takes 10 ms + n * 10 us, and n come meanwhile: 11.1 ms
		assertThat(seen.tail()).isEqualTo(22.2, within(1.0));
	}

	@Test
	void leavesInstancesWithoutAPartitionIdle() {
		Costs costs = new Costs(0, 0.001, 0.000_01, 0, 0, 0);

		assertThat(new Simulation(costs, 2, 5, 1).run(1e6, 1).perSecond())
			.isEqualTo(new Simulation(costs, 2, 2, 1).run(1e6, 1).perSecond());
	}

}
