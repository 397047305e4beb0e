package jobs.endtoend.pair;

import java.util.List;
import java.util.stream.Stream;

import jobs.localstack.Ports;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What programs that start beside each other are given to listen on. */
class PortsTests {

	@Test
	void givesNoPortTwice() {
		List<Integer> given = Stream.generate(Ports::free).limit(1000).toList();
		assertThat(given).doesNotHaveDuplicates();
	}

	@Test
	void givesNoPortOfOutgoingConnections() {
		List<Integer> given = Stream.generate(Ports::free).limit(100).toList();
		assertThat(given).allSatisfy((port) -> assertThat(port).isBetween(20_000, 32_767));
	}

}
