package jobs.chassis.security;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.context.annotation.Import;

/** What is there while security is off. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "jobs.security.enabled", havingValue = false, matchIfMissing = true)
@Import(OpenDoors.class)
class OpenAutoConfiguration {

}
