package jobs.contract;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * SHA-256 in lower-case hexadecimal digits, as contracts and documents are told apart.
 */
public final class Sha256 {

	private Sha256() {
	}

	/** The digest of a text in UTF-8. */
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
