/**
 * Tells what a crawl does and has done.
 */
@NullMarked
package jobs.crawler.report;

import org.jspecify.annotations.NullMarked;
