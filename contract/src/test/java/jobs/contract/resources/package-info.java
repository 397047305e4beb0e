@NullMarked
package jobs.contract.resources;

import org.jspecify.annotations.NullMarked;
