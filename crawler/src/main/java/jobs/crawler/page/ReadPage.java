package jobs.crawler.page;

import java.util.List;
import java.util.Set;

/**
 * What a page says.
 *
 * @param postings its postings, each once
 * @param links the pages that it leads to, in their usual form
 * @param repairs what was repaired of its scripts, by name
 * @param broken its scripts that could not be repaired
 */
public record ReadPage(List<Posting> postings, Set<String> links, List<String> repairs, int broken) {
}
