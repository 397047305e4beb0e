package jobs.kafkatomongo.http;

import java.util.List;
import java.util.regex.Pattern;

import jobs.kafkatomongo.KafkaToMongoProperties;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.InitBinder;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.support.ExtendedServletRequestDataBinder;

/**
 * Refuses changes that a page of another site requests in its visitor's name, as the
 * header {@code Origin} tells.
 * <p>
 * The origin must be the {@code Host} or in {@code console-hosts}, where the name of a
 * proxy belongs. A name that anybody can register must be in {@code console-hosts} even
 * as the {@code Host}, since it may lead here for a moment (DNS rebinding).
 */
@ControllerAdvice
class CrossSiteRequests {

	/** An IP address, or a name without a dot, which no stranger can register. */
	private static final Pattern LOCAL_NAME = Pattern.compile("[\\d.]+|\\[[0-9a-fA-F:.]+]|[\\w-]+");

	private final List<String> consoleHosts;

	CrossSiteRequests(KafkaToMongoProperties properties) {
		this.consoleHosts = properties.consoleHosts();
	}

	/** Keeps headers from selecting dead letters: a record is bound from them, too. */
	@InitBinder
	void bindParametersAlone(WebDataBinder binder) {
		if (binder instanceof ExtendedServletRequestDataBinder parameters) {
			parameters.setHeaderPredicate((name) -> false);
		}
	}

	@ModelAttribute
	void refuse(@RequestHeader @Nullable String origin, @RequestHeader(defaultValue = "") String host,
			HttpMethod method) {
		if (origin == null || method == HttpMethod.GET || method == HttpMethod.HEAD) {
			return;
		}
		String site = origin.replaceFirst("^\\w+://", "");
		if (!site.equals(host) && !isKnown(site)) {
			throw new ResponseStatusException(HttpStatus.FORBIDDEN,
					"Another site's page may not do this; if '%s' is the console's, name it in KAFKA_TO_MONGO_CONSOLE_HOSTS"
						.formatted(site));
		}
		String name = site.replaceFirst(":\\d+$", "");
		if (!LOCAL_NAME.matcher(name).matches() && !isKnown(name) && !isKnown(site)) {
			throw new ResponseStatusException(HttpStatus.FORBIDDEN,
					"The console may be opened as '%s' once KAFKA_TO_MONGO_CONSOLE_HOSTS has that name"
						.formatted(name));
		}
	}

	private boolean isKnown(String site) {
		return this.consoleHosts.stream().anyMatch(site::equalsIgnoreCase);
	}

}
