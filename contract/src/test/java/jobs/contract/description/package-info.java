@NullMarked
package jobs.contract.description;

import org.jspecify.annotations.NullMarked;
