package jobs.chassis.kafka;

import java.util.List;

/**
 * The topics that a service can't do without.
 *
 * @param groups those of each of its purposes. A service with several purposes goes on
 * while the topics of one are there
 */
public record RequiredTopics(List<List<TopicSettings>> groups) {

	List<TopicSettings> all() {
		return this.groups.stream().flatMap(List::stream).toList();
	}

}
