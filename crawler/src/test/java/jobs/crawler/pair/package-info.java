@NullMarked
package jobs.crawler.pair;

import org.jspecify.annotations.NullMarked;
