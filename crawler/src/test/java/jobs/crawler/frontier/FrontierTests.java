package jobs.crawler.frontier;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

class FrontierTests {

	private static final String HOST = "a.example";

	@TempDir
	private Path folder;

	@Test
	void hasPagesWaitInTheOrderOfTheirDepth() throws IOException {
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/2", 2);
			add(frontier, "https://a.example/1", 1);
			add(frontier, "https://b.example/1", 1);
			add(frontier, "https://a.example/1b", 1);
			assertThat(next(frontier)).isEqualTo("https://a.example/1");
			// behind one that is in hand
			add(frontier, "https://a.example/0", 0);

			assertThat(List.of(next(frontier), next(frontier), next(frontier))).containsExactly("https://a.example/0",
					"https://a.example/1b", "https://a.example/2");
			assertThat(frontier.next(HOST)).isEmpty();
			assertThat(frontier.hosts()).containsExactlyInAnyOrder("a.example", "b.example");
		}
	}

	@Test
	void seesEachPageOnce() throws IOException {
		try (Frontier frontier = open(false)) {
			assertThat(frontier.add("https://a.example/", PageState.found(0))).isEqualTo(Added.NEW);
			assertThat(frontier.add("https://a.example/", PageState.found(0))).isEqualTo(Added.KNOWN);
			frontier.done(next(frontier), PageState.found(0));
			assertThat(frontier.add("https://a.example/", PageState.found(0))).isEqualTo(Added.KNOWN);
			assertThat(frontier.waiting()).isZero();
		}
	}

	@Test
	void knowsItsPagesWhenItIsOpenedAgain() throws IOException {
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/1", 1);
			add(frontier, "https://a.example/gone", 1);
			frontier.done(next(frontier), PageState.found(1));
			frontier.done(next(frontier), PageState.found(1).notFound(frontier.begun()));
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.add("https://a.example/1", PageState.found(0))).isEqualTo(Added.KNOWN);
			assertThat(frontier.add("https://a.example/gone", PageState.found(0))).isEqualTo(Added.KNOWN);
		}
	}

	@Test
	void asksForWhatIsGoneEverMoreSeldomOrWhereAPageLeadsThere() throws IOException {
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/gone", 1);
		}
		List<Integer> asked = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			try (Frontier frontier = open(false)) {
				if (frontier.next(HOST).isPresent()) {
					asked.add(i);
				}
				else if (i == 5) {
					assertThat(frontier.add("https://a.example/gone", PageState.found(2))).isEqualTo(Added.NEW);
					assertThat(frontier.add("https://a.example/gone", PageState.found(2))).isEqualTo(Added.KNOWN);
					assertThat(next(frontier)).isEqualTo("https://a.example/gone");
				}
				frontier.done("https://a.example/gone",
						frontier.state("https://a.example/gone").notFound(frontier.begun()));
			}
		}
		assertThat(asked).containsExactly(0, 1, 2, 4);
		open(false).close();
		try (Frontier frontier = open(false)) {
			frontier.next(HOST).ifPresent((page) -> frontier.done(page.url(), page.state()));
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.next(HOST)).isEmpty();
			assertThat(frontier.add("https://a.example/gone", PageState.found(0))).isEqualTo(Added.NEW);
		}
	}

	/** Else a crawl with a bound of time would read the same ones each time. */
	@Test
	void beginsWithWhatTheCrawlBeforeHasNotRead() throws IOException {
		try (Frontier frontier = open(false)) {
			for (String url : List.of("https://a.example/1", "https://a.example/2", "https://a.example/3")) {
				add(frontier, url, 1);
				frontier.done(next(frontier), PageState.found(1).asked(frontier.begun()));
			}
		}
		try (Frontier frontier = open(false)) {
			frontier.done(next(frontier), PageState.found(1).asked(frontier.begun()));
			frontier.done(next(frontier), PageState.found(1).asked(frontier.begun()));
			WaitingPage last = frontier.next(HOST).orElseThrow();
			frontier.done(last.url(), last.state());
		}
		try (Frontier frontier = open(false)) {
			assertThat(next(frontier)).isEqualTo("https://a.example/3");
		}
	}

	@Test
	void knowsWhatAPageHasThatHasMovedInSteps() throws IOException {
		try (Frontier frontier = open(false)) {
			for (String url : List.of("https://a.example/1", "https://a.example/2")) {
				add(frontier, url, 1);
				next(frontier);
			}
			frontier.done("https://a.example/1", PageState.found(1).elsewhere("https://a.example/2", List.of()));
			assertThat(frontier.isSettled("https://a.example/1")).isFalse();
			frontier.done("https://a.example/2", PageState.found(1).notFound(frontier.begun()));
			assertThat(frontier.isSettled("https://a.example/1")).isTrue();
			frontier.done("https://a.example/1", PageState.found(1).elsewhere("https://a.example/1", List.of()));
			assertThat(frontier.isSettled("https://a.example/1")).isFalse();
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.isSettled("https://a.example/2")).isFalse();
		}
	}

	@Test
	void asksForWhatRestsWhereAPageLeadsThereAlsoAfterAKill() throws IOException {
		PageState rests = PageState.found(1).notFound(1).again().again();
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/1", 1);
			add(frontier, "https://a.example/rests", 1);
			frontier.done(next(frontier), PageState.found(1));
			frontier.done(next(frontier), rests);
		}
		open(false).close();
		try (Frontier frontier = open(false)) {
			assertThat(frontier.isResumed()).isTrue();
			assertThat(frontier.add("https://a.example/rests", PageState.found(2))).isEqualTo(Added.NEW);
		}
	}

	@Test
	void goesOnWithWhatWasInHand() throws IOException {
		long begun;
		try (Frontier frontier = open(false)) {
			begun = frontier.begun();
			add(frontier, "https://a.example/1", 1);
			add(frontier, "https://a.example/2", 1);
			frontier.done(next(frontier), PageState.found(1));
			assertThat(next(frontier)).isEqualTo("https://a.example/2");
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.isResumed()).isTrue();
			assertThat(frontier.begun()).isEqualTo(begun);
			assertThat(next(frontier)).isEqualTo("https://a.example/2");
			assertThat(frontier.next(HOST)).isEmpty();
		}
	}

	@Test
	void beginsAnewWithAllThatIsKnown() throws IOException {
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/1", 1);
			frontier.done(next(frontier),
					PageState.found(1).failed().read(7, "\"e\"", "then", List.of("p"), List.of("q"), 9, 1));
			frontier.addRoot("https://a.example/1", "https://a.example/1");
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.isResumed()).isFalse();
			assertThat(frontier.isRootRead("https://a.example/1")).isFalse();
			Optional<WaitingPage> again = frontier.next(HOST);
			assertThat(again.map(WaitingPage::state)).contains(
					new PageState(1, 0, 0, false, 0, 7, "\"e\"", "then", List.of("p"), List.of("q"), 9, 1, null, 0, 0));
		}
	}

	@Test
	void countsARootAsReadWithThePageThatItHasMovedTo() throws IOException {
		try (Frontier frontier = open(false)) {
			long now = frontier.begun();
			PageState read = PageState.found(1).read(now, null, null, List.of(), List.of(), 0, 0);
			for (String url : List.of("https://a.example/1", "https://a.example/2", "https://a.example/3")) {
				add(frontier, url, 1);
			}
			frontier.done(next(frontier), read);
			frontier.addRoot("https://a.example/1", "https://a.example/read");
			// one that another thread has in hand
			String inHand = next(frontier);
			frontier.addRoot(inHand, "https://a.example/in-hand");
			frontier.done(inHand, read);
			frontier.addRoot("https://a.example/3", "https://a.example/never");
			frontier.done(next(frontier), PageState.found(1).notFound(frontier.begun()));

			assertThat(frontier.isRootRead("https://a.example/read")).isTrue();
			assertThat(frontier.isRootRead("https://a.example/in-hand")).isTrue();
			assertThat(frontier.isRootRead("https://a.example/never")).isFalse();
			assertThat(frontier.rootOf("https://a.example/3")).contains("https://a.example/never");
		}
	}

	@Test
	void hasAPageWaitBehindAllOthers() throws IOException {
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/1", 1);
			frontier.last(next(frontier), PageState.found(1));
			add(frontier, "https://a.example/9", 9);

			assertThat(next(frontier)).isEqualTo("https://a.example/9");
			assertThat(frontier.next(HOST).map(WaitingPage::isLast)).contains(true);
		}
	}

	@Test
	void staysWithinItsBounds() throws IOException {
		try (Frontier frontier = new Frontier(this.folder.resolve("frontier.mv"), false, "task", 4, 3)) {
			for (int i = 0; i < 3; i++) {
				assertThat(frontier.add("https://a.example/" + i, PageState.found(1))).isEqualTo(Added.NEW);
			}
			assertThat(frontier.add("https://a.example/3", PageState.found(1))).isEqualTo(Added.TOO_MANY);
			assertThat(frontier.add("https://b.example/0", PageState.found(1))).isEqualTo(Added.NEW);
			assertThat(frontier.add("https://b.example/1", PageState.found(1))).isEqualTo(Added.TOO_MANY);
		}
	}

	@Test
	void forgetsAll() throws IOException {
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/1", 1);
			frontier.postings().doubt(List.of("x"), "https://a.example/1", 7);
		}
		try (Frontier frontier = open(true)) {
			assertThat(frontier.waiting()).isZero();
			assertThat(frontier.hosts()).isEmpty();
			assertThat(frontier.postings().takeGone(0)).isEmpty();
			assertThat(frontier.add("https://a.example/1", PageState.found(0))).isEqualTo(Added.NEW);
		}
	}

	@Test
	void belongsToOneCrawlAtATime() throws IOException {
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/1", 1);
			assertThatIOException().isThrownBy(() -> open(true)).withMessageContaining("another crawl");
			assertThat(frontier.waiting()).isEqualTo(1);
		}
	}

	@Test
	void countsAPostingAsGoneThatNoPageHasShown() throws IOException {
		try (Frontier frontier = open(false)) {
			KnownPostings postings = frontier.postings();
			postings.saw("old", "https://a.example/1", "Cook", frontier.begun() - 1);
			postings.saw("moved", "https://a.example/1", "Cook", frontier.begun() + 1);
			postings.doubt(List.of("old", "moved", "never seen"), "https://a.example/1", 7);

			assertThat(postings.takeGone(frontier.begun())).isEqualTo(Map.of("never seen", 7L, "old", 7L));

			postings.deleted(List.of("never seen"));
			assertThat(postings.takeGone(frontier.begun())).isEqualTo(Map.of("old", 7L));
		}
	}

	@Test
	void needNotReadWhatASitemapCallsUnchanged() throws IOException {
		try (Frontier frontier = open(false)) {
			add(frontier, "https://a.example/1", 1);
			frontier.done(next(frontier), PageState.found(1).read(100, null, null, List.of("p"), List.of(), 0, 0));
		}
		try (Frontier frontier = open(false)) {
			frontier.modified("https://a.example/1", 100);
			frontier.modified("https://a.example/none", 1);
			assertThat(frontier.next(HOST).map((page) -> page.state().settledIn())).contains(0L);
		}
		try (Frontier frontier = open(false)) {
			frontier.postings().saw("p", "https://a.example/1", "Cook", 100);
			frontier.modified("https://a.example/1", 99);
			assertThat(frontier.next(HOST).map((page) -> page.state().settledIn())).contains(frontier.begun());
		}
	}

	@Test
	void keepsTheDoubtOfWhatWasMissedAfterItWasShown() throws IOException {
		try (Frontier frontier = open(false)) {
			frontier.postings().saw("p", "https://a.example/1", "Cook", frontier.begun() + 1);
			frontier.postings().doubt(List.of("p"), "https://a.example/1", frontier.begun() + 2);
			assertThat(frontier.postings().takeGone(frontier.begun())).isEmpty();
			frontier.noteVersion(frontier.begun() + 2);
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.postings().takeGone(frontier.begun())).containsOnlyKeys("p");
		}
	}

	@Test
	void goesOnWithDeletionsThatWereInterrupted() throws IOException {
		try (Frontier frontier = open(false)) {
			frontier.beginDeletions();
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.isResumed()).isTrue();
			frontier.endDeletions();
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.isResumed()).isFalse();
		}
	}

	@Test
	void beginsAfterAllVersionsWhateverTheClockDoes() throws IOException {
		long later = System.currentTimeMillis() + 1_000_000;
		try (Frontier frontier = open(false)) {
			frontier.noteVersion(later);
		}
		try (Frontier frontier = open(false)) {
			assertThat(frontier.begun()).isEqualTo(later + 1);
		}
	}

	@Test
	void makesAFileAnewThatCantBeRead() throws IOException {
		Files.writeString(this.folder.resolve("frontier.mv"), "no file of ours, whatever it is".repeat(1000));
		assertThatIOException().isThrownBy(() -> open(false)).withMessageContaining("--fresh");
		open(true).close();
	}

	private Frontier open(boolean isFresh) throws IOException {
		return new Frontier(this.folder.resolve("frontier.mv"), isFresh, "task", 9, 9);
	}

	private static void add(Frontier frontier, String url, int depth) {
		assertThat(frontier.add(url, PageState.found(depth))).isEqualTo(Added.NEW);
	}

	private static String next(Frontier frontier) {
		return frontier.next(HOST).orElseThrow().url();
	}

}
