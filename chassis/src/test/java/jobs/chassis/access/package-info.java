@NullUnmarked
package jobs.chassis.access;

import org.jspecify.annotations.NullUnmarked;
