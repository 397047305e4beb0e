package jobs.chassis.access;

import java.util.Arrays;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/** What somebody may do. */
public enum Role {

	/** Posts jobs. */
	JOBS_WRITE("jobs:write"),

	/** Reads stored jobs. */
	JOBS_READ("jobs:read"),

	/** Reads dead letters. */
	DEAD_LETTERS_READ("dead-letters:read"),

	/** Replays, corrects and discards dead letters. */
	DEAD_LETTERS_OPERATE("dead-letters:operate"),

	/** Reads metrics, the details of the health, and the figures of the console. */
	OPERATIONS_READ("operations:read"),

	/** Changes what runs, as by creating a deleted topic anew. */
	OPERATIONS_WRITE("operations:write");

	private final String text;

	Role(String text) {
		this.text = text;
	}

	/** The role as keys, tokens and problems have it. */
	@JsonValue
	public String text() {
		return this.text;
	}

	/**
	 * Finds a role, or throws IllegalArgumentException that lists all, and not the text:
	 * that may be a key.
	 */
	@JsonCreator
	static Role of(String text) {
		return Arrays.stream(values())
			.filter((role) -> role.text.equals(text))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("a role is unknown; there are "
					+ Arrays.stream(values()).map(Role::text).collect(Collectors.joining(", "))));
	}

}
