@NullMarked
package jobs.resttokafka;

import org.jspecify.annotations.NullMarked;
