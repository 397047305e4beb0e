@NullUnmarked
package jobs.chassis.rate;

import org.jspecify.annotations.NullUnmarked;
