@NullUnmarked
package jobs.chassis.farewell;

import org.jspecify.annotations.NullUnmarked;
