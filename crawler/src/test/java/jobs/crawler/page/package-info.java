@NullMarked
package jobs.crawler.page;

import org.jspecify.annotations.NullMarked;
