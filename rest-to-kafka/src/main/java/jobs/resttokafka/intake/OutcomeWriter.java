package jobs.resttokafka.intake;

import java.io.IOException;

import jobs.resttokafka.RefusedException;

/**
 * Tells a client the outcome of each line of its upload, in the order of the lines. Its
 * methods throw IOException when the client is gone.
 */
public interface OutcomeWriter {

	/** Tells that Kafka has the job of a line; lines count from 1. */
	void accepted(long line, String id) throws IOException;

	/** Tells why a line was not accepted. */
	void refused(long line, RefusedException refusal) throws IOException;

	/** Ends what is told, unless the upload is refused as a whole. */
	void end() throws IOException;

	/** Sends what was told so far. */
	void flush() throws IOException;

	/**
	 * Whether the client has been sent something, after which the upload can't be refused
	 * as a whole.
	 */
	boolean isCommitted();

}
