package jobs.contract;

/**
 * Takes a JSON document part by part, from whatever reads it. Names are unique within an
 * object.
 */
interface JsonEvents {

	void beginObject();

	void beginArray();

	/** Ends the innermost object or array. */
	void end();

	/** Takes the name of the next value. */
	void name(String name);

	void string(Text text);

	void number(long value);

	/** Takes a number with a fraction or an exponent, as it is written. */
	void number(Text decimal);

	void literal(boolean value);

	void literalNull();

	/** A string that is made only where it is asked for. */
	interface Text {

		/** The number of UTF-16 code units. */
		int length();

		String value();

	}

}
