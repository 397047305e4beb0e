package jobs.benchmarks;

/**
 * How a job is written into a request, and what answer accepts it.
 *
 * @param type of the body
 * @param before what stands before the job
 * @param after what stands behind it
 * @param status of an answer that accepts it
 */
record Wire(String type, String before, String after, int status) {

	/** As it is. */
	static final Wire PLAIN = new Wire("application/json", "", "", 202);

	/** As Strimzi's bridge takes it. */
	static final Wire BRIDGE = new Wire("application/vnd.kafka.json.v2+json", "{\"records\":[{\"value\":", "}]}", 200);

	/** The beginning of a request's head, until the length of its body. */
	String head(String path) {
		return "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: ".formatted(path, this.type);
	}

}
