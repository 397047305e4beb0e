/**
 * What a page says: its postings, its links, and what its owner allows.
 */
@NullMarked
package jobs.crawler.page;

import org.jspecify.annotations.NullMarked;
