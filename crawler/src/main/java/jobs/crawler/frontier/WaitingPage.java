package jobs.crawler.frontier;

/**
 * A page in hand.
 *
 * @param url of the page
 * @param state what is known of it
 * @param isLast whether it is read once more before its postings count as gone
 */
public record WaitingPage(String url, PageState state, boolean isLast) {
}
