package jobs.contract;

import java.nio.charset.StandardCharsets;

/**
 * Takes a JSON document part by part, from whatever reads it. Names are unique within an
 * object.
 */
public interface JsonEvents {

	/** Takes the beginning of an object. */
	void beginObject();

	/** Takes the beginning of an array. */
	void beginArray();

	/** Ends the innermost object. */
	default void endObject() {
		end();
	}

	/** Ends the innermost array. */
	default void endArray() {
		end();
	}

	/** Ends either, for those who need not know which; does nothing by itself. */
	default void end() {
	}

	/** Takes the name of the next value. */
	void name(String name);

	/** Takes a string, which is gone afterwards. */
	void string(Text text);

	/** Takes an integer of 64 bits. */
	void number(long value);

	/**
	 * Takes a number with a fraction or an exponent, or -0, as it is written; it is gone
	 * afterwards.
	 */
	void number(Text decimal);

	/** Takes {@code true} or {@code false}. */
	void literal(boolean value);

	/** Takes {@code null}. */
	void literalNull();

	/** A string that is made only where it is asked for. */
	interface Text {

		/** The number of UTF-16 code units. */
		int length();

		/** The string itself. */
		String value();

		/** Hands over the string in UTF-8, which is gone afterwards. */
		default void utf8(Utf8Sink sink) {
			byte[] bytes = value().getBytes(StandardCharsets.UTF_8);
			sink.take(bytes, 0, bytes.length);
		}

	}

	/** Takes a string in UTF-8. */
	@FunctionalInterface
	interface Utf8Sink {

		/** Takes so many bytes from there. */
		void take(byte[] source, int from, int length);

	}

}
