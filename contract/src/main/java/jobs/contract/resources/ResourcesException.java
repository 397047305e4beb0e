package jobs.contract.resources;

/** Ends a start: the file of the resources, or a setting of one, is not understood. */
public class ResourcesException extends RuntimeException {

	/** Makes one with a sentence that names the place and the reason. */
	public ResourcesException(String sentence) {
		super(sentence);
	}

}
