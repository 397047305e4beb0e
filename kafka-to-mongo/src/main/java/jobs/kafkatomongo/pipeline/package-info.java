/**
 * Makes one pipeline for each resource, from its topic to its collections, apart from
 * those of the others ({@code Pipelines}). A pipeline is an application context of its
 * own, so each class below knows one resource alone.
 */
@NullMarked
package jobs.kafkatomongo.pipeline;

import org.jspecify.annotations.NullMarked;
