/**
 * What is to be read, what was read, and which postings were found there; a kill loses
 * none of it.
 */
@NullMarked
package jobs.crawler.frontier;

import org.jspecify.annotations.NullMarked;
