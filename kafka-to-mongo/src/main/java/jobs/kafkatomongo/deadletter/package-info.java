/**
 * Records whose data can't be stored: their topic, and their collection in MongoDB.
 * <p>
 * What people do with them over HTTP is in {@code replay}. This room does not know the
 * jobs that are stored.
 */
@NullMarked
package jobs.kafkatomongo.deadletter;

import org.jspecify.annotations.NullMarked;
