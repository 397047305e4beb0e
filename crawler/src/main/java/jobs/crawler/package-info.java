/**
 * Reads job postings from career pages and sends them to the pair: the command and its
 * options, and the crawl that moves each page from the frontier to what it has said.
 */
@NullMarked
package jobs.crawler;

import org.jspecify.annotations.NullMarked;
