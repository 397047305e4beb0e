package jobs.chassis.access;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.AuthenticationServiceException;

import static org.assertj.core.api.Assertions.assertThat;

/** A request that goes on while nobody can tell whether its token is still good. */
class RecheckTests {

	private final AtomicLong nanos = new AtomicLong();

	private final Credentials nobodyCanTell = new Credentials(null, null, List.of((request) -> {
		throw new AuthenticationServiceException("The key of the token is not known yet");
	}));

	private final Recheck recheck = new Recheck(this.nobodyCanTell, AccessRule.of("/jobs", "jobs:write"),
			new MockHttpServletRequest(), this.nanos::get);

	@Test
	void goesOnForAWhileAndThenEnds() {
		for (int second = 1; second < 30; second++) {
			this.nanos.set(TimeUnit.SECONDS.toNanos(second));
			assertThat(this.recheck.getAsBoolean()).as("after %d s", second).isTrue();
		}

		this.nanos.set(TimeUnit.SECONDS.toNanos(30));

		assertThat(this.recheck.getAsBoolean()).isFalse();
	}

}
