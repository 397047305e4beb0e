package jobs.contract;

import java.util.regex.Pattern;

/**
 * The headers of a record that tell of its document: rest-to-kafka writes them, and
 * kafka-to-mongo keeps what they say.
 */
public final class HeaderNames {

	/** Has the digest of the contract that the document kept when it was published. */
	public static final String CONTRACT = "contract";

	/**
	 * Has the version of a record that deletes a document: an integer, or a date-time.
	 */
	public static final String VERSION = "version";

	/** Begins the name of a CloudEvent's attribute (its binding for Kafka 1.0). */
	public static final String EVENT = "ce_";

	private static final Pattern ATTRIBUTE = Pattern.compile("[a-z0-9]{1,64}");

	private HeaderNames() {
	}

	/** Whether an attribute of a CloudEvent may have this name. */
	public static boolean isAttribute(String name) {
		return ATTRIBUTE.matcher(name).matches();
	}

}
