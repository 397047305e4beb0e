package jobs.resttokafka.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletResponse;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/** Counts answers by status and resource; {@code docs/watch.md} lists the names. */
@Component
class RequestMetrics {

	private final Resources resources;

	private final MeterRegistry registry;

	private final Map<String, Resource> paths;

	private final Map<Key, Counter> requests = new ConcurrentHashMap<>();

	private final Map<Key, Counter> lines = new ConcurrentHashMap<>();

	RequestMetrics(Resources resources, MeterRegistry registry) {
		this.resources = resources;
		this.registry = registry;
		this.paths = resources.all().stream().collect(Collectors.toMap(Resource::path, Function.identity()));
		// registered at the start, so that an alert sees the first increment
		for (Resource resource : resources.all()) {
			for (int status : new int[] { HttpServletResponse.SC_ACCEPTED,
					HttpServletResponse.SC_SERVICE_UNAVAILABLE }) {
				requests(resource, status);
				lines(resource, status);
			}
		}
	}

	/** Counts an answered request, also one that its resource has not seen. */
	void request(@Nullable String path, int status) {
		requests((path != null) ? this.paths.get(path) : null, status).increment();
	}

	private Counter requests(@Nullable Resource resource, int status) {
		return counter(this.requests, resource, status, "jobs.requests", "Requests, by the status of their answer");
	}

	/** Counts answered lines of uploads. */
	Counter lines(Resource resource, int status) {
		return counter(this.lines, resource, status, "jobs.upload.lines",
				"Lines of uploads, by the status of their outcome");
	}

	private Counter counter(Map<Key, Counter> counters, @Nullable Resource resource, int status, String name,
			String description) {
		Key key = new Key((resource != null) ? resource.name() : "", status);
		return counters.computeIfAbsent(key, (_) -> {
			Counter.Builder counter = Counter.builder(name)
				.description(description)
				.tag("status", Integer.toString(status));
			// each series of a name has the same labels
			return (this.resources.isFile() ? counter.tag("resource", key.resource()) : counter)
				.register(this.registry);
		});
	}

	private record Key(String resource, int status) {

	}

}
