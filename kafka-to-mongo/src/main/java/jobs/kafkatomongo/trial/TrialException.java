package jobs.kafkatomongo.trial;

/** Ends a trial that can't be made, with a sentence for whoever asked for it. */
class TrialException extends RuntimeException {

	/** Makes one with a sentence. */
	TrialException(String sentence) {
		super(sentence);
	}

}
