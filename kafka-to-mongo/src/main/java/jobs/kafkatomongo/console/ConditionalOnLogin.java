package jobs.kafkatomongo.console;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;

/** Marks a configuration or a bean that is there where people can log in, only. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ConditionalOnBooleanProperty("jobs.security.enabled")
@ConditionalOnProperty("jobs.security.login.client-id")
@interface ConditionalOnLogin {

}
