/**
 * Hands postings and deletions to rest-to-kafka, each until it has them.
 */
@NullMarked
package jobs.crawler.pair;

import org.jspecify.annotations.NullMarked;
