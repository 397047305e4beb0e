package jobs.kafkatomongo.events;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** Events behind a position are not kept any more: 410. */
final class LostEventsException extends ResponseStatusException {

	LostEventsException() {
		super(HttpStatus.GONE, "The events behind this Last-Event-ID are not kept any more: ask for events without it,"
				+ " and read the documents anew");
	}

}
