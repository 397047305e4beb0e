package jobs.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * Good jobs that a reader with a weakness refuses.
 */
public final class HostileJobs {

	private HostileJobs() {
	}

	/**
	 * Jobs with names that Jackson's hash takes for one: a table of names that lives
	 * longer than a job fills up with them.
	 * @return the jobs, each with 200 fields beside its title
	 */
	public static List<String> withCollidingNames() {
		List<String> jobs = new ArrayList<>();
		for (int job = 0; job < 20; job++) {
			StringBuilder json = new StringBuilder("{\"title\":\"a\"");
			for (int field = 0; field < 200; field++) {
				StringBuilder name = new StringBuilder();
				for (int bit = 0; bit < 12; bit++) {
					// two pairs of characters with the same hash * 33 + character
					name.append(((((job * 200 + field) >> bit) & 1) != 0) ? "c!" : "bB");
				}
				json.append(",\"").append(name).append("\":1");
			}
			jobs.add(json.append('}').toString());
		}
		return jobs;
	}

}
