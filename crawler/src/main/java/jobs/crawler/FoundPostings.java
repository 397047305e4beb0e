package jobs.crawler;

import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
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
		List<Posting> postings = withoutOver(page, read.postings(), now);
		List<String> ids = postings.stream().map(Posting::id).toList();
		for (Posting posting : postings) {
			boolean isShared = this.frontier.postings().isShared(posting.id(), page.url(), posting.title());
			this.report.count(SHARED, isShared ? 1 : 0);
		}
		List<String> before = known(page);
		// what a script had that can't be read may stand there still
		List<String> unread = (read.broken() > 0) ? without(before, read.postings()) : List.of();
		this.frontier.postings().keep(unread, at);
		List<String> missing = unread.isEmpty() ? missing(page, ids, at) : List.of();
		long until = postings.stream()
			.flatMap((posting) -> posting.validThrough().stream())
			.mapToLong(Instant::toEpochMilli)
			.min()
			.orElse(0);
		Consumer<Set<Integer>> done = (refused) -> {
			List<String> taken = new ArrayList<>();
			List<String> noted = new ArrayList<>(unread);
			for (int i = 0; i < ids.size(); i++) {
				if (!refused.contains(i)) {
					taken.add(ids.get(i));
				}
				// of one that is refused the pair may have an earlier version
				if (!refused.contains(i) || before.contains(ids.get(i))) {
					noted.add(ids.get(i));
				}
			}
			boolean isWhole = refused.isEmpty() && read.broken() == 0;
			this.report.count(Report.POSTINGS, taken.size());
			this.frontier.postings().saw(taken, at);
			// what was refused, or can't be read, is looked at again by the next crawl
			note(page, page.state()
				.read(at, isWhole ? headers.firstValue("ETag").orElse(null) : null,
						isWhole ? headers.firstValue("Last-Modified").orElse(null) : null, noted, missing, until),
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
	 * @param isForEver whether a second look at once tells more
	 */
	void moved(WaitingPage page, long at, boolean isForEver) {
		note(page, page.state().elsewhere(missing(page, List.of(), at)), isForEver);
	}

	/**
	 * Notes that a page is gone, and its postings with it unless another one shows them.
	 */
	void gone(WaitingPage page, long at) {
		this.frontier.postings().doubt(page.state().postings(), at);
		this.frontier.postings().doubt(page.state().missing(), at);
		this.frontier.done(page.url(), page.state().gone());
	}

	/**
	 * A posting that is missing for the first time has the page read once more; the
	 * second time it may be gone.
	 */
	private void note(WaitingPage page, PageState state, boolean isTold) {
		if (state.missing().isEmpty() || !isTold) {
			this.frontier.done(page.url(), state);
		}
		else {
			this.frontier.last(page.url(), state);
		}
	}

	/** Leaves out what is over. It is deleted where somebody may have it. */
	private List<Posting> withoutOver(WaitingPage page, List<Posting> found, Instant now) {
		KnownPostings known = this.frontier.postings();
		List<Posting> postings = new ArrayList<>();
		for (Posting posting : found) {
			if (posting.validThrough().map((end) -> end.isAfter(now)).orElse(true)) {
				postings.add(posting);
				continue;
			}
			this.report.count("postings that are over", 1);
			if (page.state().readAt() == 0 || known.areKnown(List.of(posting.id()))) {
				known.doubt(List.of(posting.id()), now.toEpochMilli());
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
	private List<String> missing(WaitingPage page, List<String> ids, long at) {
		Set<String> missing = new LinkedHashSet<>(known(page));
		ids.forEach(missing::remove);
		List<String> first = new ArrayList<>();
		List<String> second = new ArrayList<>();
		missing.forEach((id) -> ((page.isLast() || page.state().missing().contains(id)) ? second : first).add(id));
		this.frontier.postings().doubt(second, at);
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
