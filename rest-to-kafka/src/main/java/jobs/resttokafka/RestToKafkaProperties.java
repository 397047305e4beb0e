package jobs.resttokafka;

import java.net.URI;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this service; those of Kafka's client and Tomcat are under
 * {@code spring.kafka} and {@code server}.
 *
 * @param topic the topic that takes the jobs, created where it is missing; where not set,
 * what the file of resources says, or {@code jobs-topic1}
 * @param partitions how many partitions the topic is created with
 * @param replication how many replicas each partition is created with; where not set, the
 * broker's {@code default.replication.factor}
 * @param retention how long a topic keeps its documents when it is created by this
 * service; those that MongoDB does not have by then are lost
 * @param maxJobSize the most bytes of a job, at most three quarters of
 * {@code max-in-flight}; where not set, what the file of resources says, or 256 KB
 * @param maxInFlight the most bytes of documents, over all requests, that are being read
 * or await Kafka. A single document beyond is answered 503. So is a document above 8 KiB
 * that would leave small ones less than a quarter of what uploads don't hold. A line of
 * an upload waits for room, and leaves a quarter to single documents. One line of a
 * resource at a time, the one that waits longest, may go beyond
 * @param bodyTimeout the longest time for a document to arrive, looked at after each
 * read, which itself waits no longer than {@code server.tomcat.connection-timeout}
 * @param publishTimeout the longest wait for Kafka to acknowledge a complete document,
 * and the time without any room after which a line of an upload waits no longer for it.
 * It should be at least the producer's {@code max.block.ms} and
 * {@code delivery.timeout.ms} together, so that a 503 seldom leaves a document's fate
 * open
 * @param jobsUrl where a client finds stored jobs; the {@code Location} of a job is this
 * address, a slash and its id
 */
@ConfigurationProperties("rest-to-kafka")
public record RestToKafkaProperties(@Nullable String topic, @DefaultValue("6") int partitions,
		@Nullable Short replication, @DefaultValue("7d") Duration retention, @Nullable DataSize maxJobSize,
		@DefaultValue("8MB") DataSize maxInFlight, @DefaultValue("10s") Duration bodyTimeout,
		@DefaultValue("2500ms") Duration publishTimeout, @DefaultValue("http://localhost:9091/jobs") URI jobsUrl) {

}
