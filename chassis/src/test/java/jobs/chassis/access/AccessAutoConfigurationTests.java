package jobs.chassis.access;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.operations.Warnings;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** A setting that is wrong ends the start: it must not let in more than was meant. */
class AccessAutoConfigurationTests {

	@TempDir
	private Path folder;

	@Test
	void endsTheStartWhereNothingSaysWhoMay() {
		secured().run(
				(context) -> assertThat(context).getFailure().rootCause().hasMessageContaining("nothing says who may"));
	}

	/** A variable that was forgotten would lift the limit of all. */
	@ParameterizedTest
	@ValueSource(strings = { "jobs.security.jobs-per-second", "jobs.security.bytes-per-second" })
	void endsTheStartWhereALimitIsEmpty(String setting) throws IOException {
		Path keys = Files.createFile(this.folder.resolve("keys"));

		secured().withPropertyValues("jobs.security.keys-file=" + keys, setting + "=")
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(setting));
	}

	private static ApplicationContextRunner secured() {
		return new ApplicationContextRunner().withUserConfiguration(AccessAutoConfiguration.Secured.class)
			.withBean(Warnings.class, () -> new Warnings(new SimpleMeterRegistry()))
			.withBean(AccessRules.class, () -> new AccessRules(Set.of("jobs:read")))
			.withPropertyValues("jobs.security.enabled=true");
	}

	/** Whoever opens a service to a network is told so. */
	@Nested
	@ExtendWith(OutputCaptureExtension.class)
	class Open {

		@Test
		void saysThatAllMayWhereANetworkIsListenedTo(CapturedOutput output) throws UnknownHostException {
			new AccessAutoConfiguration.Open(InetAddress.getByName("0.0.0.0"), InetAddress.getLoopbackAddress()).warn();
			assertThat(output).contains("jobs.security.enabled");
		}

		@Test
		void saysSoWhereOperatorsAloneAreListenedTo(CapturedOutput output) throws UnknownHostException {
			new AccessAutoConfiguration.Open(InetAddress.getLoopbackAddress(), InetAddress.getByName("0.0.0.0")).warn();
			assertThat(output).contains("jobs.security.enabled");
		}

		@Test
		void saysSoWhereNoAddressIsSet(CapturedOutput output) {
			new AccessAutoConfiguration.Open(null, null).warn();
			assertThat(output).contains("jobs.security.enabled");
		}

		@Test
		void saysNothingOnThisMachineAlone(CapturedOutput output) {
			new AccessAutoConfiguration.Open(InetAddress.getLoopbackAddress(), InetAddress.getLoopbackAddress()).warn();
			assertThat(output).doesNotContain("jobs.security.enabled");
		}

	}

}
