package jobs.chassis.access;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
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

	/** Bytes of the file; beyond: it can't be read. */
	private static final int MAX_SIZE = 4 * 1024 * 1024;

	/** An end or limit that is mistyped or empty must not become a key without one. */
	private static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
		.withCoercionConfig(LogicalType.DateTime,
				(config) -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
		.withCoercionConfig(LogicalType.Integer,
				(config) -> config.setCoercion(CoercionInputShape.EmptyString, CoercionAction.Fail))
		.build();

	private final Path file;

	/** The roles that keys may have. */
	private final Set<String> roles;

	/** Of a key without a limit of its own. */
	private final Rate limit;

	private volatile Map<String, Known> keys;

	/** How the file was when it was read last; {@code null} to read it again. */
	private @Nullable State state;

	/** Why it could not be read at the last look, if so. */
	private @Nullable String failure;

	/** Reads the file; throws IllegalStateException where that is impossible. */
	ApiKeys(Path file, Set<String> roles, Rate limit) {
		this.file = file;
		this.roles = roles;
		this.limit = limit;
		try {
			this.state = State.of(file);
			this.keys = read();
		}
		catch (IOException | IllegalArgumentException ex) {
			// without a cause: what a parser has found may be a key
			throw new IllegalStateException("The keys in %s can't be read: %s".formatted(file, reason(ex)));
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

	/** Reads the file again if it has changed, or could not be read. */
	void reload() {
		try {
			State now = State.of(this.file);
			if (now.equals(this.state)) {
				return;
			}
			this.keys = read();
			this.state = now;
			this.failure = null;
			logger.atInfo().addKeyValue("keys", this.keys.size()).log("The file of API keys was read again");
		}
		catch (IOException | IllegalArgumentException ex) {
			String reason = reason(ex);
			if (!reason.equals(this.failure)) {
				logger.atError()
					.addKeyValue("file", this.file)
					.log("The API keys stay as they were, since their file can't be read: {}", reason);
			}
			this.failure = reason;
			this.state = null;
		}
	}

	private Map<String, Known> read() throws IOException {
		if (Files.size(this.file) > MAX_SIZE) {
			throw new IllegalArgumentException("it has more than %d bytes".formatted(MAX_SIZE));
		}
		List<String> lines = Files.readAllLines(this.file, StandardCharsets.UTF_8);
		Map<String, Known> keys = new HashMap<>();
		for (int i = 0; i < lines.size(); i++) {
			if (!lines.get(i).isBlank()) {
				ApiKey key = read(lines.get(i), i + 1);
				requireKnown(key, i + 1);
				Known known = new Known(key, new Identity(key.name(), key.roles(), key.limit().or(this.limit)));
				if (keys.put(key.proof(), known) != null) {
					throw new IllegalArgumentException("line %d repeats a key of another line".formatted(i + 1));
				}
			}
		}
		return Map.copyOf(keys);
	}

	/** Throws IllegalArgumentException without the unknown role, which may be a key. */
	private void requireKnown(ApiKey key, int number) {
		if (!this.roles.containsAll(key.roles())) {
			throw new IllegalArgumentException("line %d is no key: a role is unknown; there are %s".formatted(number,
					this.roles.stream().sorted().collect(Collectors.joining(", "))));
		}
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

	/** By what a change is noticed, also one of a symbolic link. */
	private record State(Path path, @Nullable Object fileKey, Instant modified, long size) {

		static State of(Path file) throws IOException {
			Path path = file.toRealPath();
			BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
			return new State(path, attributes.fileKey(), attributes.lastModifiedTime().toInstant(), attributes.size());
		}

	}

}
