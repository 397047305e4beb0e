@NullUnmarked
package jobs.chassis.tls;

import org.jspecify.annotations.NullUnmarked;
