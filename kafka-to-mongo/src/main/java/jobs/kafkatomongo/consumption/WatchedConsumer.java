package jobs.kafkatomongo.consumption;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;

/**
 * A listener's consumer that waits while Kafka refuses it, says so, and has the
 * {@link OffsetGuard} look at its offsets. Spring's container would wait, too, but keep
 * the reason to its log.
 */
final class WatchedConsumer implements InvocationHandler {

	/** The pause before Kafka is asked again whether it still refuses. */
	private static final Duration PAUSE = Duration.ofSeconds(1);

	private final Consumer<byte[], byte[]> consumer;

	private final OffsetGuard offsets;

	private final Refusals refusals;

	private final BoundedPoll bounded;

	private WatchedConsumer(Consumer<byte[], byte[]> consumer, int atOnce, int batchBytes, OffsetGuard offsets,
			Refusals refusals) {
		this.consumer = consumer;
		this.bounded = new BoundedPoll(consumer, atOnce, batchBytes, System::nanoTime);
		this.offsets = offsets;
		this.refusals = refusals;
	}

	/**
	 * Watches a consumer whose {@code max.poll.records} are {@code atOnce}, and whose
	 * batches have so many bytes.
	 */
	@SuppressWarnings("unchecked")
	static Consumer<byte[], byte[]> watch(Consumer<byte[], byte[]> consumer, int atOnce, int batchBytes,
			OffsetGuard offsets, Refusals refusals) {
		return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(WatchedConsumer.class.getClassLoader(),
				new Class<?>[] { Consumer.class },
				new WatchedConsumer(consumer, atOnce, batchBytes, offsets, refusals));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
		try {
			if (method.getName().equals("poll") && arguments != null && arguments[0] instanceof Duration timeout) {
				return poll(timeout);
			}
			if (method.getName().startsWith("commit") && arguments != null
					&& arguments[0] instanceof Map<?, ?> commits) {
				arguments[0] = this.offsets.named(this.consumer, own(commits));
			}
			if (method.getName().equals("subscribe") && arguments != null
					&& arguments[arguments.length - 1] instanceof ConsumerRebalanceListener listener) {
				arguments[arguments.length - 1] = listening(listener);
			}
			return method.invoke(this.consumer, arguments);
		}
		catch (InvocationTargetException ex) {
			if (method.getName().equals("position")
					&& ex.getTargetException() instanceof InvalidOffsetException invalid) {
				// whoever asks, as a container would that commits on assignment
				this.offsets.reset(this.consumer, invalid);
				return invoke(proxy, method, arguments);
			}
			throw ex.getTargetException();
		}
	}

	/** The same listener, after the guard, which has to know of each assignment. */
	private ConsumerRebalanceListener listening(ConsumerRebalanceListener listener) {
		return new ConsumerRebalanceListener() {

			@Override
			public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
				WatchedConsumer.this.offsets.assigned(partitions);
				listener.onPartitionsAssigned(partitions);
			}

			@Override
			public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
				WatchedConsumer.this.bounded.revoked(partitions);
				listener.onPartitionsRevoked(partitions);
				// behind the last commits, which the listener makes
				WatchedConsumer.this.offsets.revoked(partitions);
			}

			@Override
			public void onPartitionsLost(Collection<TopicPartition> partitions) {
				WatchedConsumer.this.bounded.revoked(partitions);
				listener.onPartitionsLost(partitions);
				WatchedConsumer.this.offsets.revoked(partitions);
			}

		};
	}

	/**
	 * The commits of partitions that this consumer has. While a batch was tried again,
	 * one may have gone to another consumer, which is further or in another topic.
	 */
	@SuppressWarnings("unchecked")
	private Map<TopicPartition, OffsetAndMetadata> own(Map<?, ?> commits) {
		Map<TopicPartition, OffsetAndMetadata> own = new HashMap<>((Map<TopicPartition, OffsetAndMetadata>) commits);
		own.keySet().retainAll(this.consumer.assignment());
		return own;
	}

	private ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
		try {
			ConsumerRecords<byte[], byte[]> records = this.bounded.poll(timeout);
			this.refusals.admitted(Thread.currentThread(), !records.isEmpty());
			return this.offsets.verify(this.consumer, records);
		}
		catch (InvalidOffsetException ex) {
			this.offsets.reset(this.consumer, ex);
		}
		catch (WakeupException | InterruptException ex) {
			throw ex;
		}
		catch (KafkaException ex) {
			// the container would try again at once, and its log alone would tell
			this.refusals.refused(Thread.currentThread(), words(ex));
			pause();
		}
		return ConsumerRecords.empty();
	}

	private static String words(Throwable refusal) {
		return switch (refusal) {
			case TopicAuthorizationException ex ->
				"Kafka does not let this service read " + String.join(", ", ex.unauthorizedTopics());
			case GroupAuthorizationException ex -> mayNotJoin(ex.groupId());
			case AuthenticationException _ -> "Kafka does not accept the credentials of this service";
			case AuthorizationException ex -> "Kafka refuses this service: " + ex.getMessage();
			default -> "Kafka's client can't read on: " + NestedExceptionUtils.getMostSpecificCause(refusal);
		};
	}

	static String mayNotJoin(String group) {
		return "Kafka does not let this service join the group " + group;
	}

	private static void pause() {
		try {
			Thread.sleep(PAUSE);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
