@NullMarked
package jobs.crawler.frontier;

import org.jspecify.annotations.NullMarked;
