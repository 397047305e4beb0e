package jobs.contract;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * A text in the bytes of a document, which becomes a String only where somebody asks.
 */
final class ByteText implements JsonEvents.Text {

	/** Bytes of an escape with four digits. */
	private static final int UNICODE = 6;

	/** Bytes of a string: Jackson has bounds of its own. */
	private static final int MAX_TEXT = 4 * 1024 * 1024;

	private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

	private static final long ONES = 0x0101010101010101L;

	private static final long HIGH_BITS = 0x80 * ONES;

	private final byte[] document;

	/** Whether the bytes beyond ASCII are known to be UTF-8. */
	private boolean isUtf8;

	private int from;

	private int to;

	/** Code units that the text has less than bytes. */
	private int less;

	private boolean hasEscapes;

	private @Nullable String value;

	ByteText(byte[] document) {
		this.document = document;
	}

	/**
	 * Becomes another one.
	 * @param begin its first byte
	 * @param end the byte behind it
	 * @param fewer code units that it has less than bytes
	 * @param escapes whether it has any
	 */
	void set(int begin, int end, int fewer, boolean escapes) {
		this.from = begin;
		this.to = end;
		this.less = fewer;
		this.hasEscapes = escapes;
		this.value = null;
	}

	/**
	 * Becomes the string that begins with a quote.
	 * @param quote where it stands
	 * @return where the string has ended, or -1 where it is not known
	 */
	int read(int quote) {
		int begin = quote + 1;
		int end = begin;
		int fewer = 0;
		boolean escapes = false;
		while (true) {
			end = afterPlain(end);
			if (end >= this.document.length) {
				return -1;
			}
			byte next = this.document[end];
			if (next == '"') {
				break;
			}
			if (next == '\\') {
				int length = escape(end);
				if (length == 0) {
					return -1;
				}
				escapes = true;
				fewer += length - 1;
				end += length - 1;
			}
			else if (next < 0) {
				if (!isUtf8()) {
					return -1;
				}
				// of a character of four bytes are two units, of any other one
				fewer += ((next & 0xC0) == 0x80) ? 1 : ((next & 0xF8) == 0xF0) ? -1 : 0;
			}
			else if (next < ' ') {
				return -1;
			}
			end++;
		}
		if (end - begin > MAX_TEXT) {
			return -1;
		}
		set(begin, end, fewer, escapes);
		return end + 1;
	}

	/** The first byte from here on that may need a look, eight of them at a time. */
	private int afterPlain(int from) {
		int next = from;
		while (next <= this.document.length - Long.BYTES) {
			long eight = (long) EIGHT.get(this.document, next);
			long quote = eight ^ ('"' * ONES);
			long slash = eight ^ ('\\' * ONES);
			long found = (eight | (eight - ' ' * ONES) & ~eight | (quote - ONES) & ~quote | (slash - ONES) & ~slash)
					& HIGH_BITS;
			if (found != 0) {
				return next + Long.numberOfTrailingZeros(found) / Byte.SIZE;
			}
			next += Long.BYTES;
		}
		return next;
	}

	private boolean isUtf8() {
		this.isUtf8 = this.isUtf8 || Utf8.decode(this.document) != null;
		return this.isUtf8;
	}

	@Override
	public int length() {
		return this.to - this.from - this.less;
	}

	@Override
	public String value() {
		String text = this.value;
		if (text == null) {
			text = new String(this.document, this.from, this.to - this.from, StandardCharsets.UTF_8);
			text = this.hasEscapes ? unescaped(text) : text;
			this.value = text;
		}
		return text;
	}

	@Override
	public void utf8(JsonEvents.Utf8Sink sink) {
		if (this.hasEscapes) {
			JsonEvents.Text.super.utf8(sink);
		}
		else {
			sink.take(this.document, this.from, this.to - this.from);
		}
	}

	private static String unescaped(String text) {
		StringBuilder plain = new StringBuilder(text.length());
		for (int i = 0; i < text.length(); i++) {
			char next = text.charAt(i);
			if (next == '\\') {
				i++;
				boolean isUnicode = text.charAt(i) == 'u';
				next = isUnicode ? (char) Integer.parseInt(text, i + 1, i + 5, 16) : unescaped(text.charAt(i));
				i += isUnicode ? 4 : 0;
			}
			plain.append(next);
		}
		return plain.toString();
	}

	/** The bytes of what stands for one code unit; 0 for half of a pair, or no escape. */
	private int escape(int slash) {
		if (slash + 1 >= this.document.length) {
			return 0;
		}
		if (this.document[slash + 1] != 'u') {
			return (unescaped((char) this.document[slash + 1]) != 0) ? 2 : 0;
		}
		if (slash + UNICODE > this.document.length) {
			return 0;
		}
		int unit = 0;
		for (int i = slash + 2; i < slash + UNICODE; i++) {
			int digit = Character.digit((char) this.document[i], 16);
			if (digit < 0) {
				return 0;
			}
			unit = 16 * unit + digit;
		}
		return Character.isSurrogate((char) unit) ? 0 : UNICODE;
	}

	/** What a character behind a backslash stands for; 0 for what is not known. */
	private static char unescaped(char escape) {
		return switch (escape) {
			case '"', '\\', '/' -> escape;
			case 'n' -> '\n';
			case 't' -> '\t';
			case 'r' -> '\r';
			case 'b' -> '\b';
			case 'f' -> '\f';
			default -> 0;
		};
	}

}
