package jobs.testkit;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Topics of the Kafka of a test run.
 */
public final class Topics {

	private Topics() {
	}

	/**
	 * Deletes a topic and waits, for 20 s at most, until the broker has done so: it
	 * answers before.
	 * @param topic its name
	 * @throws InterruptedException when the test ends
	 * @throws ExecutionException when Kafka refuses
	 * @throws TimeoutException when the topic is still there after 20 s
	 */
	public static void delete(String topic) throws InterruptedException, ExecutionException, TimeoutException {
		long start = System.nanoTime();
		try (Admin admin = Admin.create(Map.of("bootstrap.servers", Backends.get().kafka()))) {
			Uuid before = id(admin, topic);
			admin.deleteTopics(List.of(topic)).all().get(10, TimeUnit.SECONDS);
			while (isThere(admin, topic, before)) {
				if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(20)) {
					throw new TimeoutException("The topic '%s' is still there".formatted(topic));
				}
				Thread.sleep(100);
			}
		}
	}

	/** Whether it is; one that was created anew is another, and no answer is none. */
	private static boolean isThere(Admin admin, String topic, Uuid id) throws InterruptedException {
		try {
			return id(admin, topic).equals(id);
		}
		catch (ExecutionException ex) {
			return !(ex.getCause() instanceof UnknownTopicOrPartitionException);
		}
		catch (TimeoutException ex) {
			return true;
		}
	}

	private static Uuid id(Admin admin, String topic)
			throws InterruptedException, ExecutionException, TimeoutException {
		return Objects.requireNonNull(admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
			.get(5, TimeUnit.SECONDS)
			.topicId();
	}

}
