@NullMarked
package jobs.kafkatomongo.pipeline;

import org.jspecify.annotations.NullMarked;
