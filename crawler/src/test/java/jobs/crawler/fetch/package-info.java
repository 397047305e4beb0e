@NullMarked
package jobs.crawler.fetch;

import org.jspecify.annotations.NullMarked;
