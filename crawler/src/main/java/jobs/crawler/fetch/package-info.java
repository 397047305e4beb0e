/**
 * Asks hosts for pages within bounds, and as often as a host allows.
 */
@NullMarked
package jobs.crawler.fetch;

import org.jspecify.annotations.NullMarked;
