package jobs.chassis.contracts;

import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

import org.springframework.http.ResponseEntity;
import org.springframework.web.server.ResponseStatusException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The address of version 1.0 has the contract that is in force. */
class ContractsControllerTests {

	private static ContractsController of(String resource) {
		return new ContractsController(List.of(new ContractInForce(resource, "0", 1, "/" + resource, resource,
				List.of("1", "2"), "{\"type\":\"object\"}", List.of())));
	}

	@Test
	void hasTheContractOfJobs() {
		ResponseEntity<byte[]> answer = of("jobs").ofJobs();

		assertThat(answer.getBody()).asString(StandardCharsets.UTF_8).isEqualTo("{\"type\":\"object\"}");
		assertThat(answer.getHeaders().getETag()).isEqualTo("\"2\"");
	}

	@Test
	void hasNoneWhereThereAreNoJobs() {
		assertThatExceptionOfType(ResponseStatusException.class).isThrownBy(() -> of("orders").ofJobs())
			.withMessageContaining("404");
	}

}
