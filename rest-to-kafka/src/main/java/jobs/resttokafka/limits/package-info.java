/**
 * Settings that a user may change ({@code RestToKafkaProperties}), fixed bounds
 * ({@code Limits}), and the reasons to refuse what goes beyond. Nothing that reads, sends
 * or answers may enter.
 */
@NullMarked
package jobs.resttokafka.limits;

import org.jspecify.annotations.NullMarked;
