package jobs.chassis.contracts;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * {@code GET /contracts} lists the contracts with their digests, and {@code GET
 * /contracts/{resource}} has the schema that a new document must keep.
 */
@RestController
class ContractsController {

	private static final String SCHEMA = "application/schema+json";

	private final List<ContractInForce> contracts;

	ContractsController(List<ContractInForce> contracts) {
		this.contracts = contracts;
	}

	@GetMapping("/contracts")
	Map<String, List<Listed>> list() {
		return Map.of("contracts", this.contracts.stream().map(Listed::of).toList());
	}

	/** Where version 1.0 had the contract of jobs, and the page of the API looks. */
	@GetMapping({ "/job.schema.json", "/docs/job.schema.json" })
	ResponseEntity<byte[]> ofJobs() {
		return get("jobs", MediaType.APPLICATION_JSON_VALUE);
	}

	@GetMapping("/contracts/{resource}")
	ResponseEntity<byte[]> get(@PathVariable String resource) {
		return get(resource, SCHEMA);
	}

	private ResponseEntity<byte[]> get(String resource, String type) {
		ContractInForce contract = this.contracts.stream()
			.filter((one) -> one.resource().equals(resource))
			.findFirst()
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND,
					"There is no such resource; GET /contracts lists them"));
		return ResponseEntity.ok()
			.header("Content-Type", type)
			.eTag(contract.schemas().getLast())
			.body(contract.schema().getBytes(StandardCharsets.UTF_8));
	}

	/** A contract without its schema, which may be large. */
	record Listed(String resource, String sha256, int maxSize, String path, String topic, List<String> schemas,
			String href) {

		static Listed of(ContractInForce contract) {
			return new Listed(contract.resource(), contract.sha256(), contract.maxSize(), contract.path(),
					contract.topic(), contract.schemas(), "/contracts/" + contract.resource());
		}

	}

}
