package jobs.kafkatomongo;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/**
 * Records as the consumer gets them.
 */
final class Records {

	static final long TIMESTAMP = 1_790_000_000_123L;

	private Records() {
	}

	static ConsumerRecord<byte[], byte[]> record(@Nullable String key, @Nullable String value) {
		return record((key != null) ? utf8(key) : null, (value != null) ? utf8(value) : null);
	}

	static ConsumerRecord<byte[], byte[]> record(byte @Nullable [] key, byte @Nullable [] value) {
		return new ConsumerRecord<>("topic", 3, 17, TIMESTAMP, TimestampType.CREATE_TIME, 0, 0, key, value,
				new RecordHeaders(), Optional.empty());
	}

	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
