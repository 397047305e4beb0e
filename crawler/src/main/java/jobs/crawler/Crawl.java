package jobs.crawler;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import jobs.crawler.fetch.PoliteFetcher;
import jobs.crawler.frontier.Added;
import jobs.crawler.frontier.Frontier;
import jobs.crawler.frontier.PageState;
import jobs.crawler.frontier.Scope;
import jobs.crawler.pair.Deliveries;
import jobs.crawler.report.Report;
import jobs.crawler.url.Urls;
import org.jspecify.annotations.Nullable;

/**
 * A crawl from its roots to its end. Each host with pages that wait has a thread of its
 * own, which ends when none waits any more.
 */
final class Crawl {

	private static final Duration BETWEEN_COMMITS = Duration.ofSeconds(1);

	/** Postings whose deletions are noted together. */
	private static final int DELETIONS = 100;

	/** For the request and the delivery under way where somebody ends the crawl. */
	static final Duration FAREWELL = Duration.ofSeconds(4);

	private final CrawlSettings settings;

	private final Frontier frontier;

	private final Scope scope;

	private final Deliveries deliveries;

	private final PageVisit visit;

	private final Report report;

	/** The threads of hosts, which is also their lock. */
	private final Map<String, Thread> hosts = new HashMap<>();

	/** As many as there are hosts, which the frontier bounds. */
	private final Map<String, HostHealth> health = new ConcurrentHashMap<>();

	private volatile boolean isStopping;

	private @Nullable Throwable failure;

	Crawl(CrawlSettings settings, Frontier frontier, PoliteFetcher fetcher, Deliveries deliveries, Report report) {
		this.settings = settings;
		this.frontier = frontier;
		this.scope = new Scope(settings.isByDomain(), settings.included(), settings.excluded(), settings.maxDepth());
		this.deliveries = deliveries;
		this.report = report;
		this.visit = new PageVisit(settings, frontier, this.scope, fetcher, new FoundPostings(frontier, report), report,
				new FoundPages(settings.maxBytes(), frontier, this.scope, report, this::add));
	}

	/**
	 * Crawls until no page waits, or until somebody ends it.
	 * @return the roots that could not be read
	 * @throws IOException where the pair does not take what was found
	 */
	List<String> run() throws IOException, InterruptedException {
		this.settings.roots().forEach((root) -> {
			this.frontier.add(root, PageState.found(0));
			this.frontier.addRoot(root, root);
		});
		this.frontier.rootPages().forEach(this.scope::addRoot);
		this.frontier.hosts().forEach(this::start);
		try {
			while (await(BETWEEN_COMMITS)) {
				commit();
			}
			deleteGone();
		}
		finally {
			end();
		}
		return this.settings.roots().stream().filter((root) -> !this.frontier.isRootRead(root)).toList();
	}

	private void commit() throws IOException {
		this.frontier.commit();
		if (this.deliveries.failure().isDone()) {
			stop();
			throw this.deliveries.failure().join();
		}
	}

	/** Deletes the postings that no page has shown, once all pages were read. */
	private void deleteGone() throws IOException, InterruptedException {
		if (this.isStopping) {
			return;
		}
		// where it is interrupted here, it goes on here
		this.frontier.beginDeletions();
		Map<String, Long> gone = this.frontier.postings().takeGone(this.frontier.begun());
		List<String> ids = new ArrayList<>(gone.keySet());
		try {
			for (int i = 0; i < ids.size() && !this.isStopping; i += DELETIONS) {
				Map<String, Long> part = new HashMap<>();
				ids.subList(i, Math.min(ids.size(), i + DELETIONS)).forEach((id) -> part.put(id, gone.get(id)));
				delete(part);
			}
		}
		catch (IOException ex) {
			// else the pair that refuses one would hold up all later crawls
			this.frontier.endDeletions();
			throw ex;
		}
		if (!this.isStopping) {
			this.frontier.endDeletions();
		}
	}

	private void delete(Map<String, Long> gone) throws IOException, InterruptedException {
		CountDownLatch done = new CountDownLatch(1);
		this.deliveries.delete(gone, () -> {
			this.frontier.postings().deleted(gone.keySet());
			this.report.count(Report.DELETIONS, (this.settings.pair() != null) ? gone.size() : 0);
			done.countDown();
		});
		while (!this.isStopping && !done.await(BETWEEN_COMMITS.toMillis(), TimeUnit.MILLISECONDS)) {
			commit();
		}
	}

	/** Ends the crawl; what waits stays for the next one. */
	void stop() {
		this.isStopping = true;
		synchronized (this.hosts) {
			this.hosts.values().forEach(Thread::interrupt);
			this.hosts.notifyAll();
		}
	}

	boolean isStopping() {
		return this.isStopping;
	}

	/** Adds a page, and has its host crawled. */
	private Added add(String url, PageState state) {
		Added added = this.frontier.add(url, state);
		if (added == Added.NEW) {
			start(Urls.host(url));
		}
		return added;
	}

	private void start(String host) {
		synchronized (this.hosts) {
			if (!this.isStopping && !this.hosts.containsKey(host)) {
				Thread thread = Thread.ofVirtual().name(host).unstarted(() -> crawl(host));
				this.hosts.put(host, thread);
				thread.start();
			}
		}
	}

	private void crawl(String host) {
		HostCrawl crawl = new HostCrawl(host, this.frontier, this.deliveries, this.visit,
				this.health.computeIfAbsent(host, (_) -> new HostHealth(this.settings.maxTimeOfHost())));
		try {
			while (!this.isStopping) {
				crawl.untilNothingWaits(this::isStopping);
				synchronized (this.hosts) {
					// a page that comes now starts a thread, or is seen here
					if (!crawl.hasNext()) {
						this.hosts.remove(host);
						return;
					}
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (RuntimeException | Error ex) {
			fail(ex);
		}
		finally {
			synchronized (this.hosts) {
				this.hosts.remove(host, Thread.currentThread());
				this.hosts.notifyAll();
			}
		}
	}

	private void fail(Throwable ex) {
		synchronized (this.hosts) {
			this.failure = ex;
		}
		stop();
	}

	/** Waits, and returns whether the crawl goes on. */
	private boolean await(Duration time) throws InterruptedException {
		long end = System.nanoTime() + time.toNanos();
		synchronized (this.hosts) {
			for (long left = time.toMillis(); left > 0 && !this.hosts.isEmpty()
					&& !this.isStopping; left = (end - System.nanoTime()) / 1_000_000) {
				this.hosts.wait(left);
			}
			return !this.hosts.isEmpty() && !this.isStopping;
		}
	}

	/** Ends all threads, and keeps what they have done. */
	private void end() throws IOException, InterruptedException {
		Set<Thread> threads;
		synchronized (this.hosts) {
			threads = new HashSet<>(this.hosts.values());
		}
		long end = System.nanoTime() + FAREWELL.toNanos();
		for (Thread thread : threads) {
			thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
		}
		this.deliveries.end(FAREWELL);
		this.frontier.commit();
		synchronized (this.hosts) {
			if (this.failure != null) {
				throw new IllegalStateException("A fault of the crawler itself", this.failure);
			}
		}
		if (this.deliveries.failure().isDone()) {
			throw this.deliveries.failure().join();
		}
	}

}
