package jobs.crawler.fetch;

/**
 * An answer, and when it was asked for.
 *
 * @param answer of the host, or of nobody where it must not be asked
 * @param askedAt milliseconds since 1970
 */
public record Fetched(Answer answer, long askedAt) {
}
