package jobs.kafkatomongo.console;

import java.util.Map;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** Tells the console that people can log in, and where. */
@RestController
@ConditionalOnLogin
class LoginController {

	@GetMapping("/console/login")
	Map<String, String> login() {
		return Map.of("login", "oauth2/authorization/console");
	}

}
