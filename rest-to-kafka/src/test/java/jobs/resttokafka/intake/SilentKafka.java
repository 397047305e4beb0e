package jobs.resttokafka.intake;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;
import org.springframework.kafka.support.SendResult;

/**
 * A Kafka that acknowledges a job when the test says so.
 */
final class SilentKafka {

	private SilentKafka() {
	}

	/**
	 * Adds what is to be acknowledged to {@code sent}.
	 */
	@SuppressWarnings("unchecked")
	static KafkaTemplate<String, byte[]> addingTo(Collection<CompletableFuture<SendResult<String, byte[]>>> sent) {
		KafkaTemplate<String, byte[]> kafka = Mockito.mock(KafkaTemplate.class);
		BDDMockito.given(kafka.send(ArgumentMatchers.<ProducerRecord<String, byte[]>>any())).willAnswer((call) -> {
			CompletableFuture<SendResult<String, byte[]>> future = new CompletableFuture<>();
			sent.add(future);
			return future;
		});
		BDDMockito.given(kafka.getProducerFactory()).willReturn(Mockito.mock(ProducerFactory.class));
		return kafka;
	}

}
