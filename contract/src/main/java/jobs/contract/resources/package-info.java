/**
 * The resources that the pair carries ({@code Resource}), and the file that names them
 * ({@code Resources}): both services read the same one.
 */
@NullMarked
package jobs.contract.resources;

import org.jspecify.annotations.NullMarked;
