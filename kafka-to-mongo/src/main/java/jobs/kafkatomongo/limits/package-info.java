/** Settings and fixed bounds. Code that acts on them may not enter. */
@NullMarked
package jobs.kafkatomongo.limits;

import org.jspecify.annotations.NullMarked;
