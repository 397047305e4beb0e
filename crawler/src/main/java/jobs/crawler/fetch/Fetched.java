package jobs.crawler.fetch;

/**
 * An answer, and when it was asked for. Who reads it has a place among the workers until
 * it is closed, so that not more pages are in memory than there are workers.
 *
 * @param answer of the host, or of nobody where it must not be asked
 * @param askedAt milliseconds since 1970
 * @param place gives the place back
 */
public record Fetched(Answer answer, long askedAt, Runnable place) implements AutoCloseable {

	@Override
	public void close() {
		this.place.run();
	}

}
