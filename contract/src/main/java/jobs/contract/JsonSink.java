package jobs.contract;

/**
 * Takes the parts of a document while a contract checks it, for example to build what is
 * stored. They stop where a rule is broken, and what was made of them is worthless then.
 */
public interface JsonSink extends JsonEvents {

	/** Forgets all parts: those of the same document come from the beginning. */
	void restart();

}
