package jobs.contract;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/** Reads UTF-8 (RFC 3629) without repairing it. */
public final class Utf8 {

	/** Java's decoder puts this character in the place of invalid bytes. */
	private static final char REPLACEMENT = '\uFFFD';

	private Utf8() {
	}

	/** Decodes bytes, or returns {@code null} where they are not valid UTF-8. */
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
