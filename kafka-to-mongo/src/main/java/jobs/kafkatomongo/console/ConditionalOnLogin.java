package jobs.kafkatomongo.console;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Whatever has this is there where people can log in, and nowhere else. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnBooleanProperty("jobs.security.enabled")
@ConditionalOnProperty("jobs.security.login.client-id")
@interface ConditionalOnLogin {

}
