/**
 * What clients read of a pair that carries the resources of a file: OpenAPI
 * ({@code OpenApi}) and AsyncAPI ({@code AsyncApi}). Both are made from the documents of
 * {@code contract/}, which are those of jobs.
 */
@NullMarked
package jobs.contract.description;

import org.jspecify.annotations.NullMarked;
