/**
 * The meaning of a document for both services: the schema ({@code Rules},
 * {@code SchemaValidator}), and the rules that a schema can't say, such as names, numbers
 * and levels ({@code DocumentWalk}); and the roles of those who use the services
 * ({@code Roles}). Nothing of HTTP, Kafka or MongoDB may enter.
 */
@NullMarked
package jobs.contract;

import org.jspecify.annotations.NullMarked;
