package jobs.testkit;

import java.util.List;
import java.util.regex.Pattern;

/** What the Dockerfile says of the image of both services. */
public final class ServicesImage {

	private static final Pattern OPTION = Pattern.compile("\"(-[DX][^\"]*)\"");

	private ServicesImage() {
	}

	/**
	 * Java's options in the image, without the cache of its classes, which only fits the
	 * Java of the image.
	 * @param dockerfile its text, whose first entry point is the services'; the crawler
	 * has one of its own
	 */
	public static List<String> options(String dockerfile) {
		int start = dockerfile.indexOf("ENTRYPOINT");
		return OPTION.matcher(dockerfile.substring(start, dockerfile.indexOf(']', start)))
			.results()
			.map((option) -> option.group(1))
			.filter((option) -> !option.startsWith("-XX:AOTCache="))
			.toList();
	}

}
