package jobs.kafkatomongo.http;

/** Has requests that wait, and can end their waits before this service stops. */
public interface EndsWaits {

	/** Ends all waits, which would hold up the stop of this service. */
	void endWaits();

}
