package jobs.kafkatomongo.events;

import org.jspecify.annotations.Nullable;

/** The events of a resource for one client, whose thread alone uses it. */
interface EventStream extends AutoCloseable {

	/**
	 * Takes the next event, for which it waits a second or so; {@code null} where none
	 * came. Throws {@link LostEventsException} where the next one is not kept any more,
	 * {@link com.mongodb.MongoException} where MongoDB does not answer, and
	 * InterruptedException when this service stops.
	 */
	@Nullable DocumentEvent next() throws InterruptedException;

	/** Whether another event is there at once. */
	boolean hasNext();

	/**
	 * Where another stream goes on behind what was taken; {@code null} where MongoDB has
	 * not told.
	 */
	@Nullable String position();

	@Override
	void close();

}
