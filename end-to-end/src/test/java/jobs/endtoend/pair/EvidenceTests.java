package jobs.endtoend.pair;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import jobs.testkit.Backends;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/** A run is not judged before kafka-to-mongo has read again what a stranger committed. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EvidenceTests {

	private static final int RECORDS = 3;

	private final String topic = "evidence-" + UUID.randomUUID();

	private final MongoClient mongo = MongoClients.create(Backends.get().mongo(this.topic));

	private final Evidence evidence = Evidence.of(this.topic, this.mongo.getDatabase(this.topic));

	@BeforeEach
	void publish() throws Exception {
		try (Admin admin = Pair.admin(); KafkaProducer<byte[], byte[]> producer = Pair.producer()) {
			admin
				.createTopics(List.of(new NewTopic(this.topic, 1, (short) 1),
						new NewTopic(this.topic + "-dlt", 1, (short) 1)))
				.all()
				.get(30, TimeUnit.SECONDS);
			for (int i = 0; i < RECORDS; i++) {
				producer.send(new ProducerRecord<>(this.topic, new byte[0])).get(30, TimeUnit.SECONDS);
			}
		}
	}

	@AfterEach
	void close() throws Exception {
		try (Admin admin = Pair.admin()) {
			admin.deleteTopics(List.of(this.topic, this.topic + "-dlt")).all().get(30, TimeUnit.SECONDS);
		}
		this.mongo.close();
	}

	@Test
	void countsAllThatNobodyHasCommitted() throws Exception {
		assertThat(this.evidence.lag()).isEqualTo(RECORDS);
	}

	@Test
	void believesCommitsOfKafkaToMongo() throws Exception {
		commit(this.topic, RECORDS - 1, Evidence.MARK + "an-id");

		assertThat(this.evidence.lag()).isOne();
	}

	@Test
	void doesNotBelieveAStranger() throws Exception {
		commit(this.topic, RECORDS, "");

		assertThat(this.evidence.lag()).isEqualTo(RECORDS);
	}

	@Test
	void believesAStrangerAsFarAsKafkaToMongoHasStored() throws Exception {
		commit(this.topic, RECORDS, "");
		commit(this.topic + Evidence.STORED, RECORDS - 1, Evidence.MARK + "an-id");

		assertThat(this.evidence.lag()).isOne();
	}

	@Test
	void countsWhatSomebodyWantsToBeReadAgain() throws Exception {
		commit(this.topic, 0, "");
		commit(this.topic + Evidence.STORED, RECORDS, Evidence.MARK + "an-id");

		assertThat(this.evidence.lag()).isEqualTo(RECORDS);
	}

	private void commit(String group, long offset, String metadata) throws Exception {
		try (Admin admin = Pair.admin()) {
			admin
				.alterConsumerGroupOffsets(group,
						Map.of(new TopicPartition(this.topic, 0), new OffsetAndMetadata(offset, metadata)))
				.all()
				.get(30, TimeUnit.SECONDS);
		}
	}

}
