package jobs.crawler;

import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jobs.crawler.frontier.Frontier;
import jobs.crawler.frontier.KnownPostings;
import jobs.crawler.frontier.PageState;
import jobs.crawler.frontier.WaitingPage;
import jobs.crawler.page.Posting;
import jobs.crawler.page.ReadPage;
import jobs.crawler.report.Report;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Has the postings of pages delivered, and notes which stand there no more. The threads
 * of all hosts share it.
 */
final class FoundPostings {

	/** The count of ids for which only one of several postings stays. */
	static final String SHARED = "ids that several postings share";

	/** Postings of one page: the largest lists have some thousand. */
	private static final int MAX_POSTINGS = 5000;

	private static final JsonMapper JSON = JsonMapper.shared();

	private final Frontier frontier;

	private final Report report;

	FoundPostings(Frontier frontier, Report report) {
		this.frontier = frontier;
		this.report = report;
	}

	/**
	 * Delivers the postings of a page, and then notes that it was read.
	 * @param read what the page says
	 * @param headers of the answer
	 * @param at when the page was asked for, which is the version of its postings
	 */
	void read(WaitingPage page, ReadPage read, HttpHeaders headers, long at, HostCrawl host)
			throws InterruptedException {
		Instant now = Instant.ofEpochMilli(at);
		List<Posting> found = read.postings();
		Set<String> shown = found.stream().map(Posting::id).collect(Collectors.toSet());
		List<Posting> current = withoutOver(page, found, now);
		List<Posting> postings = current.subList(0, Math.min(current.size(), MAX_POSTINGS));
		this.report.count("postings beyond the bound of a page", current.size() - postings.size(), page.url());
		List<String> ids = postings.stream().map(Posting::id).toList();
		for (Posting posting : postings) {
			boolean isShared = this.frontier.postings().isShared(posting.id(), page.url(), posting.title());
			this.report.count(SHARED, isShared ? 1 : 0, page.url());
		}
		List<String> before = known(page);
		// what a script had that can't be read may stand there still
		List<String> unread = (read.broken() > page.state().broken()) ? without(before, found) : List.of();
		int broken = unread.isEmpty() ? read.broken() : page.state().broken();
		List<String> kept = new ArrayList<>(unread);
		current.stream().skip(MAX_POSTINGS).map(Posting::id).filter(before::contains).forEach(kept::add);
		this.frontier.postings().keep(kept, at);
		this.frontier.postings().disown(unread);
		List<String> missing = unread.isEmpty() ? missing(page, shown, at) : List.of();
		long until = postings.stream()
			.flatMap((posting) -> posting.validThrough().stream())
			.mapToLong(Instant::toEpochMilli)
			.min()
			.orElse(0);
		Consumer<Set<Integer>> done = (refused) -> {
			// of one that is refused the pair may have an earlier version
			List<String> noted = Stream.concat(ids.stream(), kept.stream()).distinct().toList();
			for (int i = 0; i < ids.size(); i++) {
				if (!refused.contains(i)) {
					this.frontier.postings().saw(ids.get(i), page.url(), postings.get(i).title(), at);
				}
			}
			List<String> others = refused.stream().map(ids::get).toList();
			this.frontier.postings().keep(others, at);
			this.frontier.postings().disown(others);
			boolean isWhole = refused.isEmpty() && unread.isEmpty();
			this.report.count(Report.POSTINGS, ids.size() - refused.size());
			// what was refused, or can't be read, is looked at again by the next crawl
			note(page,
					page.state()
						.read(at, isWhole ? headers.firstValue("ETag").orElse(null) : null,
								isWhole ? headers.firstValue("Last-Modified").orElse(null) : null, noted, missing,
								until, broken),
					true);
		};
		if (postings.isEmpty()) {
			done.accept(Set.of());
		}
		else {
			// a kill must not leave what nobody knows of
			this.frontier.note(page.url(), page.state().expecting(ids));
			host.deliver(postings.stream().map((posting) -> document(posting, page.url(), now)).toList(), done);
		}
	}

	/**
	 * Notes that a page has moved, with its postings perhaps.
	 * @param target where it is now
	 * @param isForEver whether its host says so, so that a second look in this crawl
	 * counts
	 */
	void moved(WaitingPage page, String target, long at, boolean isForEver) {
		note(page, page.state().elsewhere(target, missing(page, Set.of(), at)), isForEver);
	}

	/**
	 * Notes that a page is gone, and its postings with it unless another one shows them.
	 */
	void gone(WaitingPage page, long at) {
		noMore(page, at);
		this.frontier.done(page.url(), page.state().notFound(this.frontier.begun()));
	}

	/** Notes that a page shows no posting any more, for which one look is enough. */
	void noMore(WaitingPage page, long at) {
		this.frontier.postings().doubt(page.state().postings(), page.url(), at);
		this.frontier.postings().doubt(page.state().missing(), page.url(), at);
	}

	/**
	 * A posting that is missing for the first time has the page read once more, at the
	 * end of this crawl or by the next one; the second time it may be gone.
	 * @param isSecondLookUseful whether this crawl has it
	 */
	private void note(WaitingPage page, PageState state, boolean isSecondLookUseful) {
		if (state.missing().isEmpty() || !isSecondLookUseful || page.isLast()) {
			this.frontier.done(page.url(), state);
		}
		else {
			this.frontier.last(page.url(), state);
		}
	}

	/** Leaves out what is over. It is deleted where somebody may have it. */
	private List<Posting> withoutOver(WaitingPage page, List<Posting> found, Instant now) {
		KnownPostings known = this.frontier.postings();
		List<String> before = known(page);
		List<Posting> postings = new ArrayList<>();
		for (Posting posting : found) {
			if (posting.validThrough().map((end) -> end.isAfter(now)).orElse(true)) {
				postings.add(posting);
				continue;
			}
			this.report.count("postings that are over", page.isLast() ? 0 : 1);
			if (page.state().readAt() == 0 || known.isKnown(posting.id()) || before.contains(posting.id())) {
				known.doubt(List.of(posting.id()), page.url(), now.toEpochMilli());
			}
		}
		return postings;
	}

	/** The postings that stood on a page when it was read last, or before. */
	private static List<String> known(WaitingPage page) {
		return Stream.concat(page.state().postings().stream(), page.state().missing().stream()).distinct().toList();
	}

	private static List<String> without(List<String> ids, List<Posting> postings) {
		Set<String> rest = new LinkedHashSet<>(ids);
		postings.forEach((posting) -> rest.remove(posting.id()));
		return List.copyOf(rest);
	}

	/** The postings that are missing for the first time. */
	private List<String> missing(WaitingPage page, Set<String> shown, long at) {
		Set<String> missing = new LinkedHashSet<>(known(page));
		missing.removeAll(shown);
		List<String> first = new ArrayList<>();
		List<String> second = new ArrayList<>();
		missing.forEach((id) -> (page.state().missing().contains(id) ? second : first).add(id));
		this.frontier.postings().doubt(second, page.url(), at);
		return first;
	}

	/** A posting as the pair gets it. */
	private static byte[] document(Posting posting, String url, Instant now) {
		ObjectNode document = JSON.createObjectNode();
		document.put("postingId", posting.id());
		document.put("sourceUrl", url);
		document.put("crawledAt", now.toString());
		posting.content().forEachEntry((name, value) -> {
			if (!document.has(name)) {
				document.set(name, value);
			}
		});
		// half of a pair of surrogates becomes a question mark
		return JSON.writeValueAsString(document).getBytes(StandardCharsets.UTF_8);
	}

}
