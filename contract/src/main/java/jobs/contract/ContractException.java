package jobs.contract;

import org.jspecify.annotations.Nullable;

/** Refuses a file as a contract, in a sentence that names the place and the reason. */
public class ContractException extends RuntimeException {

	/** Makes a refusal; the reason is a sentence. */
	public ContractException(String reason) {
		super(reason);
	}

	/** Makes a refusal of one place of a file, and says why. */
	static ContractException at(String file, String pointer, String reason) {
		return new ContractException("%s, at \"%s\": %s".formatted(file, pointer, reason));
	}

	ContractException(String reason, @Nullable Throwable cause) {
		super(reason, cause);
	}

}
