package jobs.contract;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Reads UTF-8 (RFC 3629) without repairing it.
 */
public final class Utf8 {

	/** What Java's decoder puts in the place of bytes that are not valid. */
	private static final char REPLACEMENT = '\uFFFD';

	private Utf8() {
	}

	/**
	 * Decodes bytes.
	 * @param bytes anything
	 * @return the text, or {@code null} where the bytes are not valid UTF-8
	 */
	public static @Nullable String decode(byte[] bytes) {
		String text = new String(bytes, StandardCharsets.UTF_8);
		return (text.indexOf(REPLACEMENT) < 0 || isValid(bytes)) ? text : null;
	}

	private static boolean isValid(byte[] bytes) {
		try {
			StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
			return true;
		}
		catch (CharacterCodingException ex) {
			return false;
		}
	}

}
