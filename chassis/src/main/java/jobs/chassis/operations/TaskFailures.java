package jobs.chassis.operations;

import java.util.function.BooleanSupplier;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.scheduling.support.TaskUtils;
import org.springframework.util.ErrorHandler;

/**
 * Logs what scheduled tasks throw, but not that a stop interrupted one that waited for a
 * backend.
 */
record TaskFailures(BooleanSupplier stopping) implements ErrorHandler {

	@Override
	public void handleError(Throwable failure) {
		if (!this.stopping.getAsBoolean()
				|| !(NestedExceptionUtils.getMostSpecificCause(failure) instanceof InterruptedException)) {
			TaskUtils.LOG_AND_SUPPRESS_ERROR_HANDLER.handleError(failure);
		}
	}

}
