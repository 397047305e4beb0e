@NullMarked
package jobs.crawler;

import org.jspecify.annotations.NullMarked;
