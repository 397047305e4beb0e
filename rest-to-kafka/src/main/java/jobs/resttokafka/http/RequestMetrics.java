package jobs.resttokafka.http;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletResponse;

import org.springframework.stereotype.Component;

/** Counts answers by status alone; {@code docs/watch.md} lists the names. */
@Component
class RequestMetrics {

	private final MeterRegistry registry;

	private final Map<Integer, Counter> requests = new ConcurrentHashMap<>();

	private final Map<Integer, Counter> lines = new ConcurrentHashMap<>();

	RequestMetrics(MeterRegistry registry) {
		this.registry = registry;
		// registered at the start, so that an alert sees the first increment
		for (int status : new int[] { HttpServletResponse.SC_ACCEPTED, HttpServletResponse.SC_SERVICE_UNAVAILABLE }) {
			requests(status);
			lines(status);
		}
	}

	/** Counts an answered request. */
	void request(int status) {
		requests(status).increment();
	}

	private Counter requests(int status) {
		return counter(this.requests, status, "jobs.requests", "Requests, by the status of their answer");
	}

	/** Counts answered lines of uploads. */
	Counter lines(int status) {
		return counter(this.lines, status, "jobs.upload.lines", "Lines of uploads, by the status of their outcome");
	}

	private Counter counter(Map<Integer, Counter> counters, int status, String name, String description) {
		return counters.computeIfAbsent(status,
				(number) -> Counter.builder(name)
					.description(description)
					.tag("status", number.toString())
					.register(this.registry));
	}

}
