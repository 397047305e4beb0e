package jobs.contract;

/**
 * A rule that a field of a job breaks.
 *
 * @param pointer the field, as a JSON Pointer (RFC 6901)
 * @param detail the rule, in a few words
 */
public record Violation(String pointer, String detail) {

	/** Characters of a pointer; names may be as long as the job. */
	private static final int MAX_POINTER = 200;

	/**
	 * Makes a violation whose pointer has at most {@value #MAX_POINTER} characters: a
	 * longer one is cut to the nearest enclosing field that fits.
	 */
	static Violation of(String pointer, String detail) {
		return new Violation((pointer.length() <= MAX_POINTER) ? pointer
				: pointer.substring(0, pointer.lastIndexOf('/', MAX_POINTER)), detail);
	}

}
