package jobs.contract;

/**
 * How a contract is read.
 *
 * @param assertFormats whether {@code format} refuses values; else it only annotates
 * @param backtrackingPatterns whether {@code java.util.regex} may run a pattern that
 * RE2/J can't compile; such a pattern may take exponential time
 * @param ownId whether a document may have a top-level field {@code id} of its own
 */
public record ContractSettings(boolean assertFormats, boolean backtrackingPatterns, boolean ownId) {

	/** Formats refuse, no pattern backtracks, and {@code id} is the service's. */
	public static final ContractSettings DEFAULTS = new ContractSettings(true, false, false);

	/** A document, in a sentence. */
	String noun() {
		return this.ownId ? "document" : "job";
	}

}
