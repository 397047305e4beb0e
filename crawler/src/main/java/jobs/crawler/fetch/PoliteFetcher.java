package jobs.crawler.fetch;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import jobs.crawler.url.Urls;
import org.jspecify.annotations.Nullable;

/**
 * Asks hosts for pages: only for what robots.txt allows, one at a time, and not more
 * often than the user and the host want. Several threads may share it.
 */
public final class PoliteFetcher {

	private static final int ROBOTS_TRIES = 3;

	private final Fetcher fetcher;

	private final HostTurns turns;

	private final String product;

	private final Duration pause;

	private final KnownRobots robots = new KnownRobots();

	/**
	 * Makes a fetcher.
	 * @param fetcher asks for a page
	 * @param product the name of our agent, as robots.txt has it
	 * @param pause between two requests of a host, where the host wants no longer one
	 * @param workers pages of all hosts that are asked for or read at the same time
	 */
	public PoliteFetcher(Fetcher fetcher, String product, Duration pause, int workers) {
		this.fetcher = fetcher;
		this.product = product;
		this.pause = pause;
		this.turns = new HostTurns(workers);
	}

	/**
	 * Asks for a page, or says that robots.txt does not allow it. No thread asks for
	 * another page while it has one.
	 * @param url of the page
	 * @param headers that are sent as well
	 */
	public Fetched fetch(String url, Map<String, String> headers) throws InterruptedException {
		Robots rules = robots(url);
		if (rules.failure() != null) {
			return refused("robots.txt: " + rules.failure());
		}
		if (!rules.allows(url)) {
			return refused("robots.txt forbids it");
		}
		String host = Urls.host(url);
		Fetched fetched = this.turns.take(host, longer(this.pause, rules.pause()),
				() -> this.fetcher.fetch(url, headers));
		if (fetched.answer() instanceof Answer.Later later) {
			this.turns.rest(host, later.retryAfter());
		}
		return fetched;
	}

	private static Fetched refused(String reason) {
		return new Fetched(new Answer.Refused(0, reason), System.currentTimeMillis(), () -> {
		});
	}

	/** Leaves the host of a page alone for at least so long. */
	public void rest(String url, Duration pause) {
		this.turns.rest(Urls.host(url), pause);
	}

	/** What the host of a page says in its robots.txt, which is read where it must be. */
	public Robots robots(String url) throws InterruptedException {
		String origin = Urls.origin(url);
		Robots known = this.robots.get(origin, Instant.now());
		if (known == null) {
			known = read(origin + "/robots.txt");
			this.robots.put(origin, known);
			if (known.failure() == null) {
				this.turns.rest(Urls.host(url), longer(this.pause, known.pause()));
			}
		}
		return known;
	}

	private Robots read(String first) throws InterruptedException {
		Answer answer = null;
		for (int i = 0; i < ROBOTS_TRIES; i++) {
			answer = follow(first);
			if (!(answer instanceof Answer.Later later)) {
				break;
			}
			this.turns.rest(Urls.host(first), longer(later.retryAfter(), this.pause.multipliedBy(1L << i)));
		}
		return rules(first, answer);
	}

	private Robots rules(String url, @Nullable Answer answer) {
		Instant now = Instant.now();
		return switch (answer) {
			case Answer.Page page -> Robots.of(url, page.body(), this.product, now);
			case Answer.Gone _ -> Robots.none(now);
			// more redirects than are followed: as if there were none, says RFC 9309
			case Answer.Moved _ -> Robots.none(now);
			case Answer.Refused refused ->
				(refused.status() / 100 == 4) ? Robots.none(now) : Robots.unknown(refused.reason(), now);
			case Answer.Later later -> Robots.unknown(later.reason(), now);
			case null, default -> Robots.unknown("no answer", now);
		};
	}

	private Answer follow(String first) throws InterruptedException {
		String url = first;
		Answer answer = ask(url);
		for (int i = 0; i < Fetcher.REDIRECTS && answer instanceof Answer.Moved moved; i++) {
			String target = Urls.resolved(url, moved.location()).orElse(null);
			if (target == null) {
				return new Answer.Refused(0, "a redirect to nowhere");
			}
			url = target;
			answer = ask(url);
		}
		return answer;
	}

	private Answer ask(String url) throws InterruptedException {
		Robots known = this.robots.get(Urls.origin(url), Instant.now());
		Duration pause = (known != null) ? longer(this.pause, known.pause()) : this.pause;
		try (Fetched fetched = this.turns.take(Urls.host(url), pause, () -> this.fetcher.fetch(url, Map.of()))) {
			return fetched.answer();
		}
	}

	private static Duration longer(Duration one, Duration other) {
		return (one.compareTo(other) >= 0) ? one : other;
	}

}
