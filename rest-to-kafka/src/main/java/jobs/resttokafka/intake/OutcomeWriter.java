package jobs.resttokafka.intake;

import java.io.IOException;

import jobs.resttokafka.limits.RefusedException;

/**
 * Tells a client what became of the lines of its upload, in their order.
 */
public interface OutcomeWriter {

	/**
	 * Tells of a line that Kafka has.
	 * @param line its number, from 1
	 * @param id the job's id
	 * @throws IOException when the client is gone
	 */
	void accepted(long line, String id) throws IOException;

	/**
	 * Tells of a line that was not accepted.
	 * @param line its number, from 1
	 * @param refusal why
	 * @throws IOException when the client is gone
	 */
	void refused(long line, RefusedException refusal) throws IOException;

	/**
	 * Sends what was told so far.
	 * @throws IOException when the client is gone
	 */
	void flush() throws IOException;

	/**
	 * Whether the client has been sent something, so that the upload can't be refused as
	 * a whole any more.
	 */
	boolean isCommitted();

}
