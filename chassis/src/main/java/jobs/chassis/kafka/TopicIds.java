package jobs.chassis.kafka;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Knows the ids by which Kafka tells topics apart that had the same name in turn. A
 * kafka-to-mongo names the id in the metadata of its commits: so it sees on which topic a
 * commit was made, and others see that the group is one of a kafka-to-mongo.
 */
@FunctionalInterface
public interface TopicIds {

	/** Begins the metadata of a commit. */
	String PREFIX = "topic-id=";

	/**
	 * Ends the name of the group that remembers how far another one has stored. It has
	 * the same marks and no members.
	 */
	String STORED = "-stored";

	/** The id of a required topic at the last look, or {@code null} before the first. */
	@Nullable Uuid id(String topic);

	/** The metadata of a commit on the topic with an id. */
	static String mark(Uuid id) {
		return PREFIX + id;
	}

	/** Whether a commit was made by a kafka-to-mongo, on whatever topic. */
	static boolean isMarked(OffsetAndMetadata commit) {
		return commit.metadata().startsWith(PREFIX);
	}

	/** Whether a commit was made on another topic of the same name. */
	static boolean isOfAnother(OffsetAndMetadata commit, @Nullable Uuid id) {
		return id != null && isMarked(commit) && !commit.metadata().equals(mark(id));
	}

}
