@NullUnmarked
package jobs.chassis.cors;

import org.jspecify.annotations.NullUnmarked;
