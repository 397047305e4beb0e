@NullUnmarked
package jobs.kafkatomongo.login;

import org.jspecify.annotations.NullUnmarked;
