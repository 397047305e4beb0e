package jobs.kafkatomongo.outage;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.jspecify.annotations.Nullable;

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

	private WatchedConsumer(Consumer<byte[], byte[]> consumer, OffsetGuard offsets, Refusals refusals) {
		this.consumer = consumer;
		this.offsets = offsets;
		this.refusals = refusals;
	}

	@SuppressWarnings("unchecked")
	static Consumer<byte[], byte[]> watch(Consumer<byte[], byte[]> consumer, OffsetGuard offsets, Refusals refusals) {
		return (Consumer<byte[], byte[]>) Proxy.newProxyInstance(WatchedConsumer.class.getClassLoader(),
				new Class<?>[] { Consumer.class }, new WatchedConsumer(consumer, offsets, refusals));
	}

	@Override
	public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
		try {
			if (method.getName().equals("poll")) {
				return poll(method, arguments);
			}
			if (method.getName().startsWith("commit") && arguments != null
					&& arguments[0] instanceof Map<?, ?> commits) {
				arguments[0] = this.offsets.named(cast(commits));
			}
			if (method.getName().equals("subscribe") && arguments != null
					&& arguments[arguments.length - 1] instanceof ConsumerRebalanceListener listener) {
				arguments[arguments.length - 1] = listening(listener);
			}
			return method.invoke(this.consumer, arguments);
		}
		catch (InvocationTargetException ex) {
			if (method.getName().equals("position")
					&& ex.getTargetException() instanceof NoOffsetForPartitionException none) {
				// the container asks when partitions are assigned
				this.offsets.reset(this.consumer, none);
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
				listener.onPartitionsRevoked(partitions);
			}

			@Override
			public void onPartitionsLost(Collection<TopicPartition> partitions) {
				listener.onPartitionsLost(partitions);
			}

		};
	}

	@SuppressWarnings("unchecked")
	private static Map<TopicPartition, OffsetAndMetadata> cast(Map<?, ?> commits) {
		return (Map<TopicPartition, OffsetAndMetadata>) commits;
	}

	@SuppressWarnings("unchecked")
	private ConsumerRecords<byte[], byte[]> poll(Method method, Object @Nullable [] arguments)
			throws InvocationTargetException, IllegalAccessException {
		try {
			ConsumerRecords<byte[], byte[]> records = (ConsumerRecords<byte[], byte[]>) method.invoke(this.consumer,
					arguments);
			this.refusals.admitted(Thread.currentThread(), !records.isEmpty());
			return this.offsets.look(this.consumer, records);
		}
		catch (InvocationTargetException ex) {
			if (ex.getTargetException() instanceof InvalidOffsetException invalid) {
				this.offsets.reset(this.consumer, invalid);
			}
			else if (ex.getTargetException() instanceof AuthorizationException
					|| ex.getTargetException() instanceof AuthenticationException) {
				this.refusals.refused(Thread.currentThread(), words(ex.getTargetException()));
				pause();
			}
			else {
				throw ex;
			}
			return ConsumerRecords.empty();
		}
	}

	private static String words(Throwable refusal) {
		return switch (refusal) {
			case TopicAuthorizationException ex ->
				"Kafka does not let this service read " + String.join(", ", ex.unauthorizedTopics());
			case GroupAuthorizationException ex -> mayNotJoin(ex.groupId());
			case AuthenticationException _ -> "Kafka does not accept the credentials of this service";
			default -> "Kafka refuses this service: " + refusal.getMessage();
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
