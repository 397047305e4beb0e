/**
 * Records whose data can't be stored: their topic and their collection. Requests and
 * answers of HTTP may not enter (see {@code replay}), nor may stored documents.
 */
@NullMarked
package jobs.kafkatomongo.deadletter;

import org.jspecify.annotations.NullMarked;
