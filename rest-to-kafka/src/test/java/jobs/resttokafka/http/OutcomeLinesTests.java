package jobs.resttokafka.http;

import java.io.IOException;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.TestResources;
import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletResponse;

import static org.assertj.core.api.Assertions.assertThat;

/** How the outcomes of an upload are put together. */
class OutcomeLinesTests {

	private final MockHttpServletResponse response = new MockHttpServletResponse();

	private final OutcomeLines lines = new OutcomeLines(this.response,
			new RequestMetrics(TestResources.of(1), new SimpleMeterRegistry()), TestResources.jobs(1), false);

	@Test
	void sendsManyOutcomesTogether() throws IOException {
		for (int i = 1; i <= 100; i++) {
			this.lines.accepted(i, "01a1fd85-e83b-7637-a88d-d78fef2cef97");
		}

		assertThat(this.response.getContentAsByteArray()).isEmpty();
		this.lines.flush();
		assertThat(this.response.getContentAsString().lines()).hasSize(100)
			.last()
			.isEqualTo("{\"line\":100,\"status\":202,\"id\":\"01a1fd85-e83b-7637-a88d-d78fef2cef97\"}");
	}

	@Test
	void keepsTheOrderAroundALargeRefusal() throws IOException {
		this.lines.accepted(1, "a");
		this.lines.refused(2, new RefusedException(Reason.TOO_LARGE, "x".repeat(10_000)));
		this.lines.accepted(3, "b");
		this.lines.end();

		assertThat(this.response.getContentAsString().lines().map((line) -> line.substring(0, 10)))
			.containsExactly("{\"line\":1,", "{\"line\":2,", "{\"line\":3,");
	}

	@Test
	void sendsWhatIsMoreThanItsRoom() throws IOException {
		for (int i = 1; i <= 1000; i++) {
			this.lines.accepted(i, "01a1fd85-e83b-7637-a88d-d78fef2cef97");
		}

		assertThat(this.response.getContentAsByteArray()).hasSizeGreaterThan(50_000);
		this.lines.end();
		assertThat(this.response.getContentAsString().lines()).hasSize(1000);
	}

}
