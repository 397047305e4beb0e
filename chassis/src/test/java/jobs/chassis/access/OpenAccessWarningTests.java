package jobs.chassis.access;

import java.net.InetAddress;
import java.net.UnknownHostException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** Whoever opens a service to a network is told so. */
@ExtendWith(OutputCaptureExtension.class)
class OpenAccessWarningTests {

	@Test
	void saysThatAllMayWhereANetworkIsListenedTo(CapturedOutput output) throws UnknownHostException {
		new OpenAccessWarning(InetAddress.getByName("0.0.0.0"), InetAddress.getLoopbackAddress()).say();
		assertThat(output).contains("jobs.security.enabled");
	}

	@Test
	void saysSoWhereOperatorsAloneAreListenedTo(CapturedOutput output) throws UnknownHostException {
		new OpenAccessWarning(InetAddress.getLoopbackAddress(), InetAddress.getByName("0.0.0.0")).say();
		assertThat(output).contains("jobs.security.enabled");
	}

	@Test
	void saysSoWhereNoAddressIsSet(CapturedOutput output) {
		new OpenAccessWarning(null, null).say();
		assertThat(output).contains("jobs.security.enabled");
	}

	@Test
	void saysNothingOnThisMachineAlone(CapturedOutput output) {
		new OpenAccessWarning(InetAddress.getLoopbackAddress(), InetAddress.getLoopbackAddress()).say();
		assertThat(output).doesNotContain("jobs.security.enabled");
	}

}
