package jobs.contract;

/** A broken rule: the field as a JSON Pointer (RFC 6901), and the rule in a few words. */
public record Violation(String pointer, String detail) {

	/**
	 * The largest length of a pointer in characters; names may be as long as the
	 * document.
	 */
	private static final int MAX_POINTER = 200;

	/**
	 * Makes a violation; a pointer above {@value #MAX_POINTER} characters is cut to the
	 * nearest enclosing field that fits.
	 */
	static Violation of(String pointer, String detail) {
		return new Violation((pointer.length() <= MAX_POINTER) ? pointer
				: pointer.substring(0, pointer.lastIndexOf('/', MAX_POINTER)), detail);
	}

}
