package jobs.chassis.access;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;

import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

/**
 * A line of the file of keys, which never has the key itself, which is 256 random bits or
 * that of a client certificate.
 *
 * @param name whose key it is: letters, digits, and {@code . _ @ -}
 * @param sha256 the SHA-256 of the key's text, as 64 hexadecimal digits; {@code null} for
 * a certificate
 * @param certificate the subject of a client certificate, such as {@code CN=ann,O=Acme};
 * {@code null} for a key
 * @param expires when it ends to be valid; {@code null} for never
 * @param jobsPerSecond documents that it may send; {@code null} for the default
 * @param bytesPerSecond bytes of documents that it may send; {@code null} for the default
 */
record ApiKey(String name, @Nullable String sha256, @Nullable String certificate, Set<String> roles,
		@Nullable Instant expires, @Nullable Long jobsPerSecond, @Nullable Long bytesPerSecond) {

	/** The beginning of each key, by which people and scanners know one. */
	static final String PREFIX = "jobs_";

	/** A later end is one that was meant otherwise, such as in milliseconds. */
	private static final Instant LAST_END = Instant.parse("9999-12-31T00:00:00Z");

	ApiKey {
		if (name == null || !name.matches("[\\w.@-]{1,100}")) {
			throw new IllegalArgumentException("\"name\" must have 1 to 100 letters, digits or . _ @ -");
		}
		if ((sha256 != null) == (certificate != null)) {
			throw new IllegalArgumentException("it must have one of \"sha256\" and \"certificate\"");
		}
		if (sha256 != null && !sha256.matches("[0-9a-f]{64}")) {
			throw new IllegalArgumentException("\"sha256\" must have 64 hexadecimal digits");
		}
		if (certificate != null) {
			canonical(certificate);
		}
		if (roles == null || roles.isEmpty() || roles.stream().anyMatch(Objects::isNull)) {
			throw new IllegalArgumentException("\"roles\" must name at least one");
		}
		if (expires != null && expires.isAfter(LAST_END)) {
			throw new IllegalArgumentException("its end, \"expires\", is after the year 9999");
		}
		new Rate(jobsPerSecond, bytesPerSecond);
	}

	/** By what the key is found: its digest, or the certificate's subject. */
	String proof() {
		return (this.sha256 != null) ? this.sha256 : canonical(String.valueOf(this.certificate));
	}

	private static String canonical(String subject) {
		try {
			return proof(new X500Principal(subject));
		}
		catch (IllegalArgumentException ex) {
			throw new IllegalArgumentException(
					"\"certificate\" must be a subject of ASCII letters, such as CN=ann,O=Acme");
		}
	}

	/**
	 * How a certificate's subject is found, whatever its case and spaces. Throws
	 * IllegalArgumentException for one that is not printable ASCII, or has more than
	 * text: the comparison takes letters of other scripts for these.
	 */
	static String proof(X500Principal subject) {
		String written = subject.getName(X500Principal.RFC2253);
		if (!written.matches("[ -~]+") || written.contains("=#")) {
			throw new IllegalArgumentException("it has letters that are not ASCII");
		}
		return subject.getName(X500Principal.CANONICAL);
	}

	Rate limit() {
		return new Rate(this.jobsPerSecond, this.bytesPerSecond);
	}

	boolean isExpired(Instant now) {
		return this.expires != null && !now.isBefore(this.expires);
	}

}
