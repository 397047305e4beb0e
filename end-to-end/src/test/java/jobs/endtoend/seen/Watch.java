package jobs.endtoend.seen;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import jobs.endtoend.pair.Access;
import org.jspecify.annotations.Nullable;

/**
 * Looks at services while faults strike, and says at the end what was seen of them.
 */
public final class Watch implements AutoCloseable {

	/** What is told for longer than that stays when a run ends. */
	private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

	private final long start = System.currentTimeMillis();

	private final Map<String, Integer> services;

	private final Path folder;

	private final String leftOut;

	private final @Nullable Monitor monitor;

	private final List<Lookout> lookouts;

	private final Pulse pulse = new Pulse();

	private final List<Episode> episodes = new CopyOnWriteArrayList<>();

	/**
	 * Begins to look.
	 * @param services the ports of the services, by their names
	 * @param folder of the files of Prometheus, and of what was seen
	 * @param access how to get in at the services
	 * @param faster how many times shorter the times of the alerts are
	 * @param leftOut the name of a resource of which nothing counts; nothing where all
	 * count
	 */
	public Watch(Map<String, Integer> services, Path folder, Access access, int faster, String leftOut) {
		this.leftOut = leftOut;
		this.services = services;
		this.folder = folder;
		this.monitor = Monitor.start(folder, services, access, faster);
		this.lookouts = services.entrySet()
			.stream()
			.map((service) -> new Lookout(service.getKey(), service.getValue(), access, leftOut))
			.toList();
		this.lookouts.forEach((lookout) -> Thread.startVirtualThread(lookout::run));
		Thread.ofPlatform().daemon().start(this.pulse::run);
	}

	/**
	 * Notes a fault.
	 * @param name what it was
	 * @param face what it declared
	 * @param strikes the parts of the installation that it struck
	 * @param began when somebody began to bring it about, in milliseconds of the clock
	 * @param struck when it was there
	 */
	public void note(String name, Face face, Set<String> strikes, long began, long struck) {
		this.episodes.add(new Episode(name, face, strikes, began, struck, System.currentTimeMillis()));
	}

	/**
	 * Waits until nothing is seen any more, no longer than it may take.
	 */
	public void awaitCalm() throws InterruptedException {
		long limit = System.currentTimeMillis() + this.episodes.stream()
			.map((episode) -> episode.face().back())
			.filter((back) -> back.compareTo(LONGEST_WAIT) < 0)
			.mapToLong(Duration::toMillis)
			.max()
			.orElse(0);
		while (isSomethingSeen() && System.currentTimeMillis() < limit) {
			Thread.sleep(1000);
		}
	}

	private boolean isSomethingSeen() {
		long now = System.currentTimeMillis();
		return Stream
			.concat(this.lookouts.stream().flatMap((lookout) -> lookout.present().stream()),
					(this.monitor != null) ? this.monitor.sightings(new Span(now - 2000, now), this.leftOut).stream()
							: Stream.of())
			.anyMatch((sighting) -> sighting.sign() != Sign.JOBS_DEAD_LETTERS && !isToldForLong(sighting));
	}

	private boolean isToldForLong(Sighting sighting) {
		return this.episodes.stream()
			.anyMatch((episode) -> episode.face().back().compareTo(LONGEST_WAIT) >= 0
					&& episode.face().declares(sighting));
	}

	/**
	 * How often the machine itself had no time, which excuses what was seen or not seen
	 * just then.
	 */
	public int pauses() {
		return this.pulse.pauses().size();
	}

	/**
	 * Judges what was seen until now.
	 */
	public Attribution.Verdict judge() {
		end();
		List<Sighting> sightings = new ArrayList<>();
		this.lookouts.forEach(Lookout::requireLooks);
		this.lookouts.forEach((lookout) -> sightings.addAll(lookout.sightings()));
		if (this.monitor != null) {
			sightings.addAll(this.monitor.sightings(new Span(this.start, System.currentTimeMillis()), this.leftOut));
		}
		List<Episode> all = new ArrayList<>(this.episodes);
		this.pulse.pauses()
			.forEach((pause) -> all.add(new Episode("the machine had no time", Faces.NO_TIME, Set.of(Face.MACHINE),
					pause.from(), pause.from(), pause.to())));
		write(all, sightings);
		return Attribution.judge(all, sightings, this.services.keySet(), this.monitor != null);
	}

	/**
	 * Leaves a file with all faults and signs in their order, for people.
	 */
	private void write(List<Episode> episodes, List<Sighting> sightings) {
		Map<Long, List<String>> lines = new TreeMap<>();
		episodes.forEach((episode) -> lines.computeIfAbsent(episode.began(), (any) -> new ArrayList<>())
			.add("FAULT " + episode));
		sightings.forEach((sighting) -> lines.computeIfAbsent(sighting.span().from(), (any) -> new ArrayList<>())
			.add("      " + sighting));
		try {
			Files.write(this.folder.resolve("seen.txt"), lines.values().stream().flatMap(List::stream).toList());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void end() {
		this.lookouts.forEach(Lookout::end);
		this.pulse.end();
	}

	@Override
	public void close() {
		end();
		if (this.monitor != null) {
			this.monitor.close();
		}
	}

}
