package jobs.kafkatomongo;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of this service; those of Kafka's client, MongoDB's driver and Tomcat are
 * under {@code spring.kafka}, {@code spring.mongodb} and {@code server}. The names of
 * topics and collections are those of the resource {@code jobs}, and win over the file of
 * resources.
 *
 * @param topic the topic that has the jobs, created where it is missing;
 * {@code jobs-topic1} where nothing says another
 * @param deadLetterTopic the topic for records that can't be stored, created where it is
 * missing (kept for ever, records up to 16 MiB); {@code jobs-topic1-dlt}
 * @param partitions how many partitions a topic is created with
 * @param replication how many replicas each partition is created with; where not set, the
 * broker's {@code default.replication.factor}
 * @param retention how long a topic keeps its documents when it is created by this
 * service; those that MongoDB does not have by then are lost
 * @param collection the collection of the jobs; {@code jobs}
 * @param deadLetterCollection the collection of the dead letters; {@code deadLetters}
 * @param maxJobSize the bytes up to which a record's value is taken at least, no less
 * than rest-to-kafka accepts; a value that is larger than this and the {@code max-size}
 * of its resource becomes a dead letter, unless rest-to-kafka accepted it
 * @param maxBackOff the longest pause before a batch that failed is tried again; the
 * first pause is half a second, each next twice as long
 * @param refusalTries the fewest tries before a document is given up that MongoDB refuses
 * with a code that is not known to be the document's fault
 * @param refusalTime the shortest time before such a document becomes a dead letter; ten
 * times as long while MongoDB has created no other since it refused this one
 * @param maxWait the longest wait that {@code Prefer: wait} is granted
 * @param deletedKept how long the mark of a deleted document is kept, where documents
 * have versions; 0 for ever. It must be longer than the topic keeps records, since an
 * older version that is read again later would be stored again
 * @param consoleHosts the names with a dot under which browsers open the console. A proxy
 * that passes on another {@code Host} needs its name here, with the port unless it is the
 * usual one
 */
@ConfigurationProperties("kafka-to-mongo")
public record KafkaToMongoProperties(@Nullable String topic, @Nullable String deadLetterTopic,
		@DefaultValue("6") int partitions, @Nullable Short replication, @DefaultValue("7d") Duration retention,
		@Nullable String collection, @Nullable String deadLetterCollection, @DefaultValue("1MB") DataSize maxJobSize,
		@DefaultValue("10s") Duration maxBackOff, @DefaultValue("5") int refusalTries,
		@DefaultValue("20s") Duration refusalTime, @DefaultValue("30s") Duration maxWait,
		@DefaultValue("30d") Duration deletedKept, @DefaultValue List<String> consoleHosts) {

}
