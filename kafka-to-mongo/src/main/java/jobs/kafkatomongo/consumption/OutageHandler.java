package jobs.kafkatomongo.consumption;

import java.util.Map;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.util.backoff.BackOff;

/**
 * Tries a batch again for ever, whatever the failure, while the consumer stays in its
 * group. Spring's default gives up after nine retries and commits, and takes some
 * exceptions for hopeless at once. It also forgets the batch when the consumer fails
 * between two tries.
 */
class OutageHandler extends DefaultErrorHandler {

	OutageHandler(BackOff backOff, RetryListener listener) {
		super((record, failure) -> {
			throw new IllegalStateException("A batch is never given up", failure);
		}, backOff);
		setClassifications(Map.of(), true);
		setRetryListeners(listener);
	}

	@Override
	public void handleBatch(Exception failure, ConsumerRecords<?, ?> records, Consumer<?, ?> consumer,
			MessageListenerContainer container, Runnable invokeListener) {
		try {
			super.handleBatch(failure, records, consumer, container, invokeListener);
		}
		catch (RuntimeException ex) {
			seekBack(records, consumer);
			throw ex;
		}
	}

	private static void seekBack(ConsumerRecords<?, ?> records, Consumer<?, ?> consumer) {
		for (TopicPartition partition : records.partitions()) {
			if (consumer.assignment().contains(partition)) {
				consumer.seek(partition, records.records(partition).getFirst().offset());
			}
		}
	}

}
