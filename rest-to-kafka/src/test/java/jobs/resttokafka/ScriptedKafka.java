package jobs.resttokafka;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.mockito.ArgumentMatchers;
import org.mockito.BDDMockito;
import org.mockito.Mockito;

import org.springframework.kafka.core.ProducerFactory;

/**
 * A Kafka that acknowledges or refuses each job as the test says, and when it says so.
 */
public class ScriptedKafka implements ProducerFactory<String, byte[]> {

	@SuppressWarnings("unchecked")
	private final Producer<String, byte[]> producer = Mockito.mock(Producer.class);

	private volatile Supplier<CompletableFuture<RecordMetadata>> script;

	/** Makes one that asks for what becomes of each job. */
	public ScriptedKafka(Supplier<CompletableFuture<RecordMetadata>> script) {
		this.script = script;
		BDDMockito.given(this.producer.send(ArgumentMatchers.any(), ArgumentMatchers.any())).willAnswer((call) -> {
			Callback callback = call.getArgument(1);
			return this.script.get()
				.whenComplete((metadata, failure) -> callback.onCompletion(metadata, (Exception) failure));
		});
	}

	/** Makes one that adds what is to be acknowledged to {@code sent}. */
	public ScriptedKafka(Collection<CompletableFuture<RecordMetadata>> sent) {
		this(() -> {
			CompletableFuture<RecordMetadata> outcome = new CompletableFuture<>();
			sent.add(outcome);
			return outcome;
		});
	}

	/** Asks for what becomes of each later job. */
	public void follow(Supplier<CompletableFuture<RecordMetadata>> script) {
		this.script = script;
	}

	@Override
	public Producer<String, byte[]> createProducer() {
		return this.producer;
	}

}
