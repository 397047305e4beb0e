package jobs.contract;

import java.util.Set;

/**
 * The roles of those who use either service. The services share one file of keys, and so
 * these names. The chassis has the roles of operators.
 */
public final class Roles {

	/** Posts jobs. */
	public static final String JOBS_WRITE = "jobs:write";

	/** Reads stored jobs. */
	public static final String JOBS_READ = "jobs:read";

	/** Erases jobs, with their dead letters. */
	public static final String JOBS_ERASE = "jobs:erase";

	/** Reads dead letters. */
	public static final String DEAD_LETTERS_READ = "dead-letters:read";

	/** Replays, corrects and discards dead letters. */
	public static final String DEAD_LETTERS_OPERATE = "dead-letters:operate";

	/** All of these. */
	public static final Set<String> ALL = Set.of(JOBS_WRITE, JOBS_READ, JOBS_ERASE, DEAD_LETTERS_READ,
			DEAD_LETTERS_OPERATE);

	private Roles() {
	}

}
