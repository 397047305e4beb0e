/**
 * What this service knows of MongoDB: error codes, indexes, cursors, health. Nothing that
 * knows what a job or a dead letter is may enter.
 */
@NullMarked
package jobs.kafkatomongo.mongo;

import org.jspecify.annotations.NullMarked;
