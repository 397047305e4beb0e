package jobs.crawler.frontier;

/**
 * The outcome of a page that was found.
 */
public enum Added {

	/** It waits. */
	NEW,
	/** It was seen before. */
	KNOWN,
	/** As many pages or hosts are known as there may be. */
	TOO_MANY

}
