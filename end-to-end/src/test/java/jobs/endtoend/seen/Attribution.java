package jobs.endtoend.seen;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Judges what was seen of the faults of a run.
 * <p>
 * A fault is unseen when a sign that it must have did not come, though the fault lasted
 * as long as the sign may take: in one stretch in which the service that would tell
 * answered, and nothing else hid the sign. A sign is a false alarm while no fault
 * declares it that goes on, or was healed a short time ago.
 */
public final class Attribution {

	/** How much later a sign may come on a machine that is busy. */
	private static final long SLACK = 3000;

	private final List<Episode> episodes;

	private final List<Sighting> sightings;

	private final Set<String> services;

	private final boolean alertsSeen;

	private Attribution(List<Episode> episodes, List<Sighting> sightings, Set<String> services, boolean alertsSeen) {
		this.episodes = episodes;
		this.sightings = sightings;
		this.services = services;
		this.alertsSeen = alertsSeen;
	}

	/**
	 * Judges.
	 * @param services the names of the services that were looked at
	 * @param alertsSeen whether somebody looked at the alerts
	 */
	static Verdict judge(List<Episode> episodes, List<Sighting> sightings, Set<String> services, boolean alertsSeen) {
		return new Attribution(episodes, sightings, services, alertsSeen).judge();
	}

	private Verdict judge() {
		List<String> testimony = new ArrayList<>();
		int seen = 0;
		int unseen = 0;
		int free = 0;
		for (Episode episode : this.episodes) {
			List<Due> dues = episode.face().musts().stream().flatMap((must) -> due(episode, must)).toList();
			List<Due> missing = dues.stream().filter(Predicate.not(this::isSeen)).toList();
			missing.forEach((due) -> testimony.add("unseen: %s: it did not show %s%s, in the clear %s"
				.formatted(episode, due.must(), due.where().isEmpty() ? "" : " (" + due.where() + ")", due.clear())));
			unseen += missing.isEmpty() ? 0 : 1;
			seen += (missing.isEmpty() && !dues.isEmpty()) ? 1 : 0;
			free += (dues.isEmpty() && !episode.face().musts().isEmpty()) ? 1 : 0;
		}
		int falseAlarms = 0;
		for (Sighting sighting : this.sightings) {
			List<Span> without = without(sighting);
			falseAlarms += without.isEmpty() ? 0 : 1;
			without.stream().limit(1).forEach((span) -> testimony.add(falseAlarm(sighting, span)));
		}
		return new Verdict(seen, unseen, falseAlarms, free, this.alertsSeen, testimony);
	}

	/**
	 * Where a sign must be seen, if the fault lasted long enough to be seen there.
	 */
	private Stream<Due> due(Episode episode, Face.Must must) {
		if (must.sign().isAlert() && !this.alertsSeen) {
			return Stream.empty();
		}
		Stream<String> places = must.sign().isOfAService()
				? this.services.stream().filter((service) -> service.startsWith(must.where())) : Stream.of("");
		return places.flatMap((where) -> clear(episode, must, where).stream()
			.filter((span) -> span.millis() >= must.within().toMillis())
			.limit(1)
			.map((span) -> new Due(episode, must, where, span)));
	}

	/**
	 * When nothing hid the sign.
	 */
	private List<Span> clear(Episode episode, Face.Must must, String where) {
		List<Span> hidden = new ArrayList<>();
		this.episodes.stream()
			.filter((other) -> other != episode && must.isHiddenBy(other))
			.forEach((other) -> hidden.add(other.aura()));
		if (!must.sign().isOfSilence()) {
			this.sightings.stream()
				.filter((sighting) -> sighting.sign() == Sign.SILENT && sighting.where().equals(where))
				.forEach((sighting) -> hidden.add(sighting.span()));
		}
		return new Span(episode.struck(), Math.max(episode.struck(), episode.healed())).without(hidden);
	}

	private boolean isSeen(Due due) {
		Span expected = new Span(due.episode().began(), due.clear().from() + due.must().within().toMillis() + SLACK);
		return this.sightings.stream()
			.anyMatch((sighting) -> sighting.sign() == due.must().sign() && sighting.where().equals(due.where())
					&& sighting.span().overlaps(expected));
	}

	/**
	 * When a sign was there that no fault declared.
	 */
	private List<Span> without(Sighting sighting) {
		return sighting.span()
			.without(this.episodes.stream()
				.filter((episode) -> episode.face().declares(sighting))
				.map((episode) -> episode.aura(sighting.sign()))
				.toList());
	}

	private String falseAlarm(Sighting sighting, Span span) {
		Optional<Episode> late = this.episodes.stream()
			.filter((episode) -> episode.face().declares(sighting) && episode.aura(sighting.sign()).to() == span.from())
			.max(Comparator.comparing(Episode::healed));
		return late
			.map((episode) -> "still there %d s after '%s' was healed: %s"
				.formatted((span.to() - episode.healed()) / 1000, episode.name(), sighting))
			.orElseGet(() -> "false alarm at %s: %s".formatted(Span.time(span.from()), sighting));
	}

	/**
	 * A sign that must be seen at a place.
	 *
	 * @param episode the fault
	 * @param must the sign
	 * @param where the service, or nothing
	 * @param clear the time in which nothing hid it
	 */
	private record Due(Episode episode, Face.Must must, String where, Span clear) {

	}

	/**
	 * The judgement.
	 *
	 * @param seen faults that had to be seen, and were
	 * @param unseen faults that had to be seen, and were not
	 * @param falseAlarms signs without a fault, or long after it
	 * @param free faults that ended, or were hidden, before they had to be seen
	 * @param alertsSeen whether somebody looked at the alerts
	 * @param testimony what was wrong, and when
	 */
	public record Verdict(int seen, int unseen, int falseAlarms, int free, boolean alertsSeen, List<String> testimony) {

		@Override
		public String toString() {
			return "%d faults seen, %d unseen, %d false alarms%s".formatted(this.seen, this.unseen, this.falseAlarms,
					this.alertsSeen ? "" : " (alerts not judged: no prometheus on the PATH)");
		}

	}

}
