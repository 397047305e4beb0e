package jobs.kafkatomongo.http;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import jobs.kafkatomongo.http.Bulkhead.NoPlaceException;
import jobs.kafkatomongo.http.Bulkhead.Taken;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class BulkheadTests {

	private final Bulkhead places = new Bulkhead(32, "no place", Duration.ofMillis(1));

	@Test
	void leavesPlacesToOthersWhereOneClientTakesAllThatItGets() throws InterruptedException {
		List<Taken> greedy = takeAll("greedy");

		assertThat(greedy).hasSize(16);
		assertThat(takeAll("second")).hasSize(8);
		assertThat(takeAll("third")).hasSize(4);
		assertThat(takeAll("fourth")).hasSize(2);
		assertThat(takeAll("fifth")).hasSize(1);
		assertThat(takeAll("sixth")).hasSize(1);
		assertThat(takeAll("seventh")).isEmpty();
	}

	@Test
	void givesAPlaceToAnotherOnceOneIsGivenBack() throws InterruptedException {
		List<Taken> greedy = takeAll("greedy");

		greedy.removeLast().close();

		assertThat(takeAll("greedy")).hasSize(1);
		greedy.forEach(Taken::close);
		assertThat(takeAll("other")).hasSize(15);
	}

	@Test
	void letsAClientThatHoldsNoneTakeMoreThanItsShare() throws InterruptedException {
		try (Taken _ = this.places.take(30, "large")) {
			assertThatExceptionOfType(NoPlaceException.class).isThrownBy(() -> this.places.take(1, "large"));
			try (Taken _ = this.places.take(2, "small")) {
				assertThat(takeAll("other")).isEmpty();
			}
		}
		try (Taken _ = this.places.take(32, "all")) {
			assertThat(takeAll("other")).isEmpty();
		}
	}

	@Test
	void leavesPlacesToOthersAlsoWhereNobodyWaits() {
		for (int i = 0; i < 16; i++) {
			this.places.takeAtOnce("greedy");
		}

		assertThatExceptionOfType(NoPlaceException.class).isThrownBy(() -> this.places.takeAtOnce("greedy"));
		try (Taken _ = this.places.takeAtOnce("other")) {
			assertThatExceptionOfType(NoPlaceException.class).isThrownBy(() -> this.places.takeAtOnce("greedy"));
		}
	}

	/** Who waits holds other places, which others need. */
	@Test
	void doesNotWaitForMoreThanAShare() throws InterruptedException {
		Bulkhead patient = new Bulkhead(8, "no place", Duration.ofMinutes(10));
		try (Taken _ = patient.takeShare(4, "greedy")) {
			assertThatExceptionOfType(NoPlaceException.class).isThrownBy(() -> patient.takeShare(2, "greedy"));
			patient.takeShare(2, "other").close();
		}
	}

	@Test
	void namesOneNetworkOfIpv6Once() {
		assertThat(ClientName.ofAddress("2001:db8:1:2::1")).isEqualTo(ClientName.ofAddress("2001:db8:1:2:ffff::2"))
			.isNotEqualTo(ClientName.ofAddress("2001:db8:1:3::1"));
		assertThat(ClientName.ofAddress("192.0.2.1")).isEqualTo("192.0.2.1");
	}

	private List<Taken> takeAll(String client) throws InterruptedException {
		List<Taken> taken = new ArrayList<>();
		while (true) {
			try {
				taken.add(this.places.take(1, client));
			}
			catch (NoPlaceException ex) {
				return taken;
			}
		}
	}

}
