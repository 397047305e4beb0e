package jobs.chassis.access;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.security.auth.x500.X500Principal;

import jobs.chassis.operations.SettingException;
import jobs.chassis.operations.Warnings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

import org.springframework.security.authentication.BadCredentialsException;

/**
 * The API keys of a file with a JSON object a line. The file is read again within a
 * second of a change; while it can't be read, the keys stay as they were.
 */
final class ApiKeys {

	private static final Logger logger = LoggerFactory.getLogger(ApiKeys.class);

	/** An end or limit that is mistyped or empty must not become a key without one. */
	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
		.enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
		.withCoercionConfig(LogicalType.DateTime,
				(config) -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
		.withCoercionConfig(LogicalType.Integer,
				(config) -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
		.build();

	/**
	 * A role for a resource, as there would be with a resource of that name. Those of
	 * operators are for none.
	 */
	private static final Pattern OF_RESOURCE = Pattern.compile("(?!operations:)[a-z][a-z0-9-]{0,39}(:.*)");

	/** So many roles are logged that allow nothing. */
	private static final int LOGGED = 10;

	private final Path path;

	private final KeyFile file;

	/** The roles that keys may have. */
	private final Set<String> roles;

	/** Of a key without a limit of its own. */
	private final Rate limit;

	private volatile Map<String, Known> keys;

	private final Warnings.Warning unread;

	private final Warnings.Warning changeable;

	/** Reads the file; throws IllegalStateException where that is impossible. */
	ApiKeys(Path file, Set<String> roles, Rate limit, Warnings warnings) {
		this.path = file;
		this.file = new KeyFile(file);
		this.roles = roles;
		this.limit = limit;
		this.unread = warnings.about("keys-unread");
		this.changeable = warnings.about("keys-file");
		try {
			this.keys = keys(Objects.requireNonNull(this.file.readIfChanged()));
		}
		catch (IOException | IllegalArgumentException ex) {
			// without a cause: what a parser has found may be a key
			throw new SettingException("The keys in %s can't be read: %s".formatted(file, reason(ex)));
		}
	}

	/**
	 * Finds whose key has a digest. Throws BadCredentialsException for one that is not in
	 * the file, or no longer valid.
	 */
	Identity identify(String digest) {
		return identify(digest, "The key is unknown, or was revoked");
	}

	/** Finds whose certificate has a subject; throws as with a key. */
	Identity identify(X500Principal subject) {
		String otherwise = "The subject of the client certificate is unknown, or was revoked";
		try {
			return identify(ApiKey.proof(subject), otherwise);
		}
		catch (IllegalArgumentException ex) {
			throw new BadCredentialsException(otherwise);
		}
	}

	private Identity identify(String proof, String otherwise) {
		Known known = this.keys.get(proof);
		if (known == null) {
			throw new BadCredentialsException(otherwise);
		}
		if (known.key().isExpired(Instant.now())) {
			throw new BadCredentialsException("The key has expired");
		}
		return known.identity();
	}

	/**
	 * Reads the file again if it has changed, or could not be read. Warns while it can't
	 * be read: a key that was revoked is still valid then.
	 */
	void reload() {
		try {
			List<String> lines = this.file.readIfChanged();
			if (lines != null) {
				this.keys = keys(lines);
				logger.atInfo().addKeyValue("keys", this.keys.size()).log("The file of API keys was read again");
			}
			this.unread.clear();
			this.changeable.note(this.file.mayBeChangedByOthers()
					? "Everybody on its machine may change the file of API keys %s; take the right to write from others"
						.formatted(this.path)
					: null);
		}
		catch (IOException | IllegalArgumentException ex) {
			this.file.forget();
			this.changeable.unknown();
			this.unread.raise("The API keys stay as they were, since their file %s can't be read: %s"
				.formatted(this.path, reason(ex)));
		}
	}

	private Map<String, Known> keys(List<String> lines) {
		Map<String, Known> keys = new HashMap<>();
		Set<String> idle = new TreeSet<>();
		for (int i = 0; i < lines.size(); i++) {
			if (!lines.get(i).isBlank()) {
				ApiKey key = read(lines.get(i), i + 1);
				Identity identity = new Identity(key.name(), roles(key, i + 1, idle), key.limit().or(this.limit));
				Known known = new Known(key, identity);
				if (keys.put(key.proof(), known) != null) {
					throw new IllegalArgumentException("line %d repeats a key of another line".formatted(i + 1));
				}
			}
		}
		if (!idle.isEmpty()) {
			logger.atWarn()
				.addKeyValue("roles", idle.stream().limit(LOGGED).collect(Collectors.joining(", ")))
				.log("Keys have roles for resources that this service does not have; they allow nothing");
		}
		return Map.copyOf(keys);
	}

	/**
	 * The roles of a key that there are. Those for resources that there are not come
	 * among the idle: keys are made before a resource, and outlast it. Throws
	 * IllegalArgumentException without any other role, which may be a key.
	 */
	private Set<String> roles(ApiKey key, int number, Set<String> idle) {
		Map<Boolean, Set<String>> roles = key.roles()
			.stream()
			.collect(Collectors.partitioningBy(this.roles::contains, Collectors.toUnmodifiableSet()));
		Set<String> others = Objects.requireNonNull(roles.get(false));
		if (!others.stream().allMatch(this::isOfAnotherResource)) {
			throw new IllegalArgumentException("line %d is no key: a role is unknown; there are %s".formatted(number,
					this.roles.stream().sorted().collect(Collectors.joining(", "))));
		}
		idle.addAll(others);
		return Objects.requireNonNull(roles.get(true));
	}

	private boolean isOfAnotherResource(String role) {
		Matcher form = OF_RESOURCE.matcher(role);
		return form.matches() && this.roles.contains("*" + form.group(1));
	}

	/** Throws IllegalArgumentException without what the line contains. */
	private static ApiKey read(String line, int number) {
		try {
			ApiKey key = JSON.readValue(line, ApiKey.class);
			if (key != null) {
				return key;
			}
		}
		catch (JacksonException ex) {
			throw new IllegalArgumentException("line %d %s".formatted(number, reason(ex)));
		}
		throw new IllegalArgumentException("line %d is no key".formatted(number));
	}

	private static String reason(JacksonException failure) {
		if (failure instanceof UnrecognizedPropertyException unknown) {
			return "has a field that no key has: " + unknown.getPropertyName();
		}
		return (failure.getCause() instanceof IllegalArgumentException own) ? "is no key: " + own.getMessage()
				: "is no key, or its roles, its end or its limit can't be read";
	}

	private static String reason(Exception failure) {
		return (failure instanceof IOException) ? failure.toString() : String.valueOf(failure.getMessage());
	}

	private record Known(ApiKey key, Identity identity) {
	}

}
