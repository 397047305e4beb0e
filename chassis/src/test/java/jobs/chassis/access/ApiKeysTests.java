package jobs.chassis.access;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.operations.Warnings;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.security.authentication.BadCredentialsException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** With a file that people change, and mistype. */
class ApiKeysTests {

	private static final Set<String> ROLES = Set.of("jobs:write", "jobs:read", "operations:read");

	/** Of keys that have none. */
	private static final Rate LIMIT = new Rate(10L, null);

	private final Warnings warnings = new Warnings(new SimpleMeterRegistry());

	@TempDir
	private Path folder;

	private Path file;

	@BeforeEach
	void make() throws IOException {
		this.file = this.folder.resolve("keys");
		write(line("ann", "jobs_1"));
	}

	@Test
	void readsTheFileAgainWhenItHasChanged() throws IOException {
		ApiKeys keys = new ApiKeys(this.file, ROLES, LIMIT, this.warnings);
		assertThat(keys.identify(Credentials.digest("jobs_1")).name()).isEqualTo("ann");

		write(line("bob", "jobs_2"));
		keys.reload();

		assertThat(keys.identify(Credentials.digest("jobs_2")).name()).isEqualTo("bob");
		assertThatExceptionOfType(BadCredentialsException.class)
			.isThrownBy(() -> keys.identify(Credentials.digest("jobs_1")));
	}

	/** As Kubernetes replaces the files of a secret. */
	@Test
	void readsTheFileAgainWhenALinkHasChanged() throws IOException {
		Path other = Files.writeString(this.folder.resolve("other"), line("bob", "jobs_2"));
		Path link = Files.createSymbolicLink(this.folder.resolve("link"), this.file);
		ApiKeys keys = new ApiKeys(link, ROLES, LIMIT, this.warnings);

		Files.delete(link);
		keys.reload();
		assertThat(keys.identify(Credentials.digest("jobs_1")).name()).isEqualTo("ann");
		Files.createSymbolicLink(link, other);
		keys.reload();

		assertThat(keys.identify(Credentials.digest("jobs_2")).name()).isEqualTo("bob");
	}

	/** As it is once the last key was revoked. */
	@Test
	void forgetsTheLastKeyWhenTheFileIsEmpty() throws IOException {
		ApiKeys keys = new ApiKeys(this.file, ROLES, LIMIT, this.warnings);
		assertThat(keys.identify(Credentials.digest("jobs_1")).name()).isEqualTo("ann");

		Files.writeString(this.file, "");
		keys.reload();

		assertThatExceptionOfType(BadCredentialsException.class)
			.isThrownBy(() -> keys.identify(Credentials.digest("jobs_1")));
	}

	@Test
	void keepsTheKeysWhileTheFileIsMalformed() throws IOException {
		ApiKeys keys = new ApiKeys(this.file, ROLES, LIMIT, this.warnings);

		write("nonsense");
		keys.reload();

		assertThat(keys.identify(Credentials.digest("jobs_1")).name()).isEqualTo("ann");
	}

	/** A key that was revoked is still valid then, and nobody would know. */
	@Test
	void warnsWhileTheFileIsNotRead() throws Exception {
		ApiKeys keys = new ApiKeys(this.file, ROLES, LIMIT, this.warnings);
		Files.delete(this.file);
		assertThat(new ProcessBuilder("mkfifo", this.file.toString()).start().waitFor()).isZero();

		keys.reload();

		assertThat(this.warnings.raised()).singleElement()
			.satisfies((one) -> assertThat(one.reason()).contains("can't be read", "no regular file"));
		assertThat(keys.identify(Credentials.digest("jobs_1")).name()).isEqualTo("ann");

		Files.delete(this.file);
		write(line("bob", "jobs_2"));
		keys.reload();

		assertThat(this.warnings.raised()).isEmpty();
		assertThat(keys.identify(Credentials.digest("jobs_2")).name()).isEqualTo("bob");
	}

	@Test
	void startsWithNoDeviceInThePlaceOfTheFile() throws IOException {
		Files.delete(this.file);
		Files.createSymbolicLink(this.file, Path.of("/dev/zero"));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("no regular file");
	}

	@Test
	void warnsOfAFileThatOthersMayChange() throws IOException {
		ApiKeys keys = new ApiKeys(this.file, ROLES, LIMIT, this.warnings);
		Files.setPosixFilePermissions(this.file, PosixFilePermissions.fromString("rw-rw-rw-"));

		keys.reload();

		assertThat(this.warnings.raised()).singleElement()
			.satisfies((one) -> assertThat(one.reason()).contains("Everybody on its machine may change"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"name\":\"eve\",", "{\"roles\":[\"jobs:write\"]," })
	void startsWithNoKeyThatHasAFieldTwice(String start) throws IOException {
		write(start + line("ann", "jobs_1").substring(1));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("line 1");
	}

	@Test
	void namesAByteOrderMark() throws IOException {
		write("\uFEFF" + line("ann", "jobs_1"));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("byte order mark");
	}

	@Test
	void refusesAKeyThatHasExpired() throws IOException {
		write(line("ann", "jobs_1").replace("}", ",\"expires\":\"2020-01-01T00:00:00Z\"}"));
		ApiKeys keys = new ApiKeys(this.file, ROLES, LIMIT, this.warnings);

		assertThatExceptionOfType(BadCredentialsException.class)
			.isThrownBy(() -> keys.identify(Credentials.digest("jobs_1")))
			.withMessageContaining("expired");
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"name\":\"ann\"}", "{\"name\":\"a b\",\"sha256\":\"0\",\"roles\":[]}", "[]", "null",
			"jobs_secret", "\"jobs_secret\"", "{\"name\":\"ann\",\"key\":\"jobs_secret\"}",
			"{\"name\":\"ann\",\"roles\":[\"jobs_secret\"]}", "{\"name\":\"ann\",\"expires\":\"jobs_secret\"}",
			"{\"name\":\"ann\",\"expires\":\"\"}", "{\"name\":\"ann\"}{}" })
	void startsWithNoFileThatIsMalformedAndDoesNotTellWhatIsInIt(String line) throws IOException {
		write(line);

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("line 1")
			.satisfies((failure) -> {
				StringWriter all = new StringWriter();
				failure.printStackTrace(new PrintWriter(all));
				assertThat(all.toString()).doesNotContain("secret");
			});
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "{\"expires\":\"\",", "{\"expires\":\"2027-02-30T00:00:00Z\",", "{\"expires\":1795646400000," })
	void startsWithNoKeyWhoseEndIsNoTime(String start) throws IOException {
		write(start + line("ann", "jobs_1").substring(1));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("its end");
	}

	@Test
	void startsWithNoKeyWhoseEndIsMistyped() throws IOException {
		write(line("ann", "jobs_1").replace("}", ",\"expire\":\"2020-01-01T00:00:00Z\"}"));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("expire");
	}

	@Test
	void givesAKeyItsLimitAndElseTheDefault() throws IOException {
		write(line("ann", "jobs_1").replace("}", ",\"bytesPerSecond\":7}") + "\n"
				+ line("bob", "jobs_2").replace("}", ",\"jobsPerSecond\":5}"));
		ApiKeys keys = new ApiKeys(this.file, ROLES, LIMIT, this.warnings);

		assertThat(keys.identify(Credentials.digest("jobs_1")).limit()).isEqualTo(new Rate(10L, 7L));
		assertThat(keys.identify(Credentials.digest("jobs_2")).limit()).isEqualTo(new Rate(5L, null));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0", "-1", "\"\"", "\"many\"", "2000000000", "1.9" })
	void startsWithNoKeyWhoseLimitIsNone(String limit) throws IOException {
		write(line("ann", "jobs_1").replace("}", ",\"jobsPerSecond\":%s}".formatted(limit)));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("limit");
	}

	/** Else one of them would count, and the other be shown. */
	@Test
	void startsWithNoKeyThatIsThereTwice() throws IOException {
		write(line("ann", "jobs_1") + "\n" + line("bob", "jobs_1"));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("line 2 repeats a key");
	}

	@ParameterizedTest
	@ValueSource(strings = { "CN=Ann,O=Acme", "cn=ann, o=acme", "CN=Ann+UID=7" })
	void startsWithNoSubjectThatIsThereTwice(String subject) throws IOException {
		String line = "{\"name\":\"%s\",\"certificate\":\"%s\",\"roles\":[\"jobs:read\"]}";
		write(line.formatted("ann", subject.contains("UID") ? "UID=7+CN=Ann" : "CN=Ann,O=Acme") + "\n"
				+ line.formatted("bob", subject));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("line 2 repeats a key");
	}

	@Test
	void tellsWhichRolesThereAre() throws IOException {
		write(line("ann", "jobs_1").replace("jobs:write", "jobs:wirte"));

		assertThatIllegalStateException().isThrownBy(() -> new ApiKeys(this.file, ROLES, LIMIT, this.warnings))
			.withMessageContaining("jobs:write");
	}

	/**
	 * Made before a roll-out, or left by one: it must not keep others from being revoked.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "orders:write", "my-orders:dead-letters:read", "dead-letters:read" })
	@ExtendWith(OutputCaptureExtension.class)
	void readsAFileWithARoleForAResourceThatThereIsNot(String role, CapturedOutput output) throws IOException {
		write(line("ann", "jobs_1").replace("\"jobs:write\"", "\"%s\",\"jobs:write\"".formatted(role)));

		ApiKeys keys = new ApiKeys(this.file, Set.of("jobs:write", "*:write", "*:read", "*:dead-letters:read"), LIMIT,
				this.warnings);
		keys.reload();

		assertThat(keys.identify(Credentials.digest("jobs_1")).roles()).containsExactly("jobs:write");
		assertThat(output.getAll().split("they allow nothing", -1)).as("it is told once").hasSize(2);
		assertThat(output).contains(role);
	}

	@ParameterizedTest
	@ValueSource(strings = { "orders:wirte", "orders:erase", "operations:write", "Orders:write", "orders", ":write",
			"orders:write " })
	void startsWithNoRoleThatNoResourceCouldHave(String role) throws IOException {
		write(line("ann", "jobs_1").replace("jobs:write", role));

		assertThatIllegalStateException()
			.isThrownBy(() -> new ApiKeys(this.file, Set.of("jobs:write", "*:write"), LIMIT, this.warnings))
			.withMessageContaining("line 1 is no key: a role is unknown");
	}

	private void write(String text) throws IOException {
		Files.writeString(this.file, text + "\n");
	}

	private static String line(String name, String key) {
		return "{\"name\":\"%s\",\"sha256\":\"%s\",\"roles\":[\"jobs:write\"]}".formatted(name,
				Credentials.digest(key));
	}

}
