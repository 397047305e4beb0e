@NullMarked
package jobs.chassis.contracts;

import org.jspecify.annotations.NullMarked;
