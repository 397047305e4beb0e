@NullMarked
package jobs.kafkatomongo.figures;

import org.jspecify.annotations.NullMarked;
