package jobs.kafkatomongo.events;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.mongodb.client.MongoClient;
import jobs.contract.resources.Resource;
import jobs.kafkatomongo.document.ParsedRecord;
import jobs.kafkatomongo.events.DocumentEvent.Outcome;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/**
 * Events of what this instance has stored, for a MongoDB without change streams. The last
 * ones are kept in memory, and are gone with this process.
 * <p>
 * An event may come twice: a batch that is tried again does not know whether anybody has
 * heard of what it finds stored.
 */
@Component
public class StoredEvents {

	/**
	 * Events of a resource that are kept where MongoDB has no change streams; beyond: the
	 * oldest go.
	 */
	private static final int KEPT_EVENTS = 10_000;

	/** Characters of their ids; beyond: the oldest go. */
	private static final int KEPT_ID_CHARACTERS = 1_000_000;

	/** Time that a client's thread waits for an event. */
	private static final Duration EVENT_WAIT = Duration.ofSeconds(1);

	private static final Pattern POSITION = Pattern.compile("([0-9a-f-]{36})\\.(\\d{1,18})");

	private final MongoClient mongo;

	private final boolean haveVersions;

	/** What tells the positions of this process from those of others. */
	private final String process = UUID.randomUUID().toString();

	/** The event with a number is at its remainder. */
	private final @Nullable DocumentEvent[] kept = new @Nullable DocumentEvent[KEPT_EVENTS];

	/** The number of the oldest event that is kept. */
	private long first;

	/** The number of the next event: how many there ever were. */
	private long next;

	private int idCharacters;

	/** Keeps the events of a resource, unless MongoDB has change streams. */
	public StoredEvents(MongoClient mongo, Resource resource) {
		this.mongo = mongo;
		this.haveVersions = resource.hasVersions();
	}

	/** Tells that documents, or the marks of deletions, are stored. */
	public void stored(List<ParsedRecord> records) {
		if (!ChangeStreams.areAt(this.mongo)) {
			add(records.stream().map(this::event).toList());
		}
	}

	private DocumentEvent event(ParsedRecord parsed) {
		return new DocumentEvent(parsed.id().asString().getValue(), this.haveVersions ? parsed.version() : null,
				parsed.isDeletion() ? Outcome.DELETED : Outcome.STORED);
	}

	/** Tells that a document was erased. */
	public void erased(String id) {
		if (!ChangeStreams.areAt(this.mongo)) {
			add(List.of(new DocumentEvent(id, null, Outcome.ERASED)));
		}
	}

	private synchronized void add(List<DocumentEvent> events) {
		for (DocumentEvent event : events) {
			if (this.next - this.first == KEPT_EVENTS) {
				forget();
			}
			this.kept[place(this.next++)] = event;
			this.idCharacters += event.id().length();
			while (this.idCharacters > KEPT_ID_CHARACTERS) {
				forget();
			}
		}
		notifyAll();
	}

	private void forget() {
		int place = place(this.first++);
		this.idCharacters -= Objects.requireNonNull(this.kept[place]).id().length();
		this.kept[place] = null;
	}

	private static int place(long number) {
		return (int) (number % KEPT_EVENTS);
	}

	/** Whether a position has the form of these. */
	static boolean isPosition(String position) {
		return POSITION.matcher(position).matches();
	}

	/**
	 * Opens a stream, from a position on or from now. Throws {@link LostEventsException}
	 * where the position is that of another process, or what came behind it is gone.
	 */
	synchronized EventStream open(@Nullable String position) {
		if (position == null) {
			return new Memory(this.next);
		}
		Matcher parts = POSITION.matcher(position);
		if (!parts.matches() || !parts.group(1).equals(this.process)) {
			throw new LostEventsException();
		}
		long number = Long.parseLong(parts.group(2));
		requireKept(number);
		return new Memory(number);
	}

	private void requireKept(long number) {
		if (number < this.first || number > this.next) {
			throw new LostEventsException();
		}
	}

	private synchronized @Nullable DocumentEvent await(long number) throws InterruptedException {
		if (number == this.next) {
			wait(EVENT_WAIT.toMillis());
		}
		requireKept(number);
		return (number < this.next) ? this.kept[place(number)] : null;
	}

	private synchronized boolean isAfter(long number) {
		return number < this.next;
	}

	/** The events for one client, from a number on. */
	private final class Memory implements EventStream {

		private long number;

		Memory(long number) {
			this.number = number;
		}

		@Override
		public @Nullable DocumentEvent next() throws InterruptedException {
			DocumentEvent event = StoredEvents.this.await(this.number);
			if (event != null) {
				this.number++;
			}
			return event;
		}

		@Override
		public boolean hasNext() {
			return isAfter(this.number);
		}

		@Override
		public String position() {
			return "%s.%d".formatted(StoredEvents.this.process, this.number);
		}

		@Override
		public void close() {
			// nothing is held for a client
		}

	}

}
