package jobs.chassis.operations;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Ends the start of a service for a setting that somebody has to change. The log has its
 * sentence, and no trace.
 */
public final class SettingException extends IllegalStateException {

	/** Makes one with a sentence that names the setting and what to set. */
	public SettingException(String sentence) {
		super(sentence);
	}

	/** Has Boot print the sentence. */
	static final class Analyzer extends AbstractFailureAnalyzer<SettingException> {

		@Override
		protected FailureAnalysis analyze(Throwable start, SettingException failure) {
			return new FailureAnalysis(failure.getMessage(),
					"Change the setting. As a variable of the environment its name has capitals, and _ for each dot"
							+ " and dash. docs/configuration.md lists all settings, and docs/your-own-documents.md what a"
							+ " file of resources may have.",
					failure);
		}

	}

}
