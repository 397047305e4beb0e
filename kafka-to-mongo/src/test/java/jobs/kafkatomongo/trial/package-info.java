@NullMarked
package jobs.kafkatomongo.trial;

import org.jspecify.annotations.NullMarked;
