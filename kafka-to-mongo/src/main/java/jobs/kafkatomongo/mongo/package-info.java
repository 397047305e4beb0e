/**
 * What this service knows of MongoDB: its error codes, indexes, cursors, health, and the
 * connection. The fields of jobs and dead letters may not enter.
 */
@NullMarked
package jobs.kafkatomongo.mongo;

import org.jspecify.annotations.NullMarked;
