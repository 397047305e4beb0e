package jobs.testkit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * SHA-256 digests in hexadecimal digits, as keys, documents and builds are told apart.
 */
public final class Sha256 {

	private Sha256() {
	}

	/** The digest of a text's UTF-8. */
	public static String of(String text) {
		return of(text.getBytes(StandardCharsets.UTF_8));
	}

	/** The digest of bytes. */
	public static String of(byte[] bytes) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
