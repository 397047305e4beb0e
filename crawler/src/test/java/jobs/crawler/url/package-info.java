@NullMarked
package jobs.crawler.url;

import org.jspecify.annotations.NullMarked;
