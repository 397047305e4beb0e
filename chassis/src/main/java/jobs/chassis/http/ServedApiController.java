package jobs.chassis.http;

import java.nio.charset.StandardCharsets;

import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Serves the documents that a service has made, before those of the class path. */
@RestController
class ServedApiController {

	private final byte[] openApi;

	private final byte[] asyncApi;

	ServedApiController(ServedApi served) {
		this.openApi = served.openApi().getBytes(StandardCharsets.UTF_8);
		this.asyncApi = served.asyncApi().getBytes(StandardCharsets.UTF_8);
	}

	@GetMapping({ "/openapi.yaml", "/docs/openapi.yaml" })
	ResponseEntity<byte[]> openApi() {
		return yaml(this.openApi);
	}

	@GetMapping({ "/asyncapi.yaml", "/docs/asyncapi.yaml" })
	ResponseEntity<byte[]> asyncApi() {
		return yaml(this.asyncApi);
	}

	private static ResponseEntity<byte[]> yaml(byte[] text) {
		return ResponseEntity.ok().contentType(MediaType.APPLICATION_YAML).body(text);
	}

}
