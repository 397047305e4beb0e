package jobs.kafkatomongo.consumption;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jobs.chassis.kafka.LazyAdmin;
import jobs.chassis.operations.Warnings;
import jobs.localstack.Child;
import jobs.localstack.Ports;
import jobs.localstack.Programs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * At a broker that knows rights.
 */
@Tag("long")
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupMembersTests {

	private static final String GROUP = "group";

	@TempDir
	private Path folder;

	private final int port = Ports.free();

	private final Refusals refusals = new Refusals();

	private final Map<String, Object> kafka = Map.of("bootstrap.servers", "127.0.0.1:" + this.port);

	private final LazyAdmin client = new LazyAdmin(this.kafka);

	private final Warnings warnings = new Warnings(new SimpleMeterRegistry());

	private final GroupMembers members = new GroupMembers(this.client, List.of(GROUP), this.refusals, this.warnings);

	private Child broker;

	@BeforeEach
	void start() {
		this.broker = Programs
			.kafka(this.folder.resolve("kafka"), this.port, this.folder.resolve("kafka.log"),
					"authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
					"allow.everyone.if.no.acl.found=true")
			.start();
		this.broker.awaitReady(() -> Ports.isListening(this.port), Duration.ofSeconds(60));
	}

	@AfterEach
	void stop() {
		this.client.destroy();
		this.broker.kill();
	}

	@Test
	void tellsOfAGroupThatMayNotBeReadAnyMoreUntilItMay() throws Exception {
		try (Admin admin = Admin.create(this.kafka)) {
			admin.createTopics(List.of(new NewTopic("topic", 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
			makeGroup(admin);
			for (AclPermissionType permission : List.of(AclPermissionType.ALLOW, AclPermissionType.DENY)) {
				AclOperation operation = (permission == AclPermissionType.ALLOW) ? AclOperation.ALL : AclOperation.READ;
				admin
					.createAcls(
							List.of(new AclBinding(new ResourcePattern(ResourceType.GROUP, GROUP, PatternType.LITERAL),
									new AccessControlEntry("User:ANONYMOUS", "*", operation, permission))))
					.all()
					.get(30, TimeUnit.SECONDS);
			}

			String refusal = "Kafka does not let this service join the group group";
			await(List.of(refusal));

			// as Kafka does itself after some minutes without a member
			admin.deleteConsumerGroups(List.of(GROUP)).all().get(30, TimeUnit.SECONDS);
			this.members.check();
			assertThat(this.refusals.first().map(Refusals.Refusal::reason)).contains(refusal);

			admin.deleteAcls(List.of(AclBindingFilter.ANY)).all().get(30, TimeUnit.SECONDS);
			makeGroup(admin);

			await(List.of());
		}
	}

	/** Whoever runs a tool with the group's name takes partitions. */
	@Test
	void tellsOfAMemberThatIsNoKafkaToMongo() throws Exception {
		try (Admin admin = Admin.create(this.kafka)) {
			admin.createTopics(List.of(new NewTopic("topic", 1, (short) 1))).all().get(30, TimeUnit.SECONDS);
		}
		try (KafkaConsumer<byte[], byte[]> ours = member(GroupMembers.CLIENT_ID + "-0")) {
			awaitAssigned(ours);
			this.members.check();
			this.members.check();
			assertThat(this.warnings.raised()).isEmpty();
		}

		try (KafkaConsumer<byte[], byte[]> stranger = member("some-tool")) {
			awaitAssigned(stranger);
			Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
				this.members.check();
				assertThat(this.warnings.raised()).singleElement()
					.satisfies((one) -> assertThat(one.reason()).contains("in the group " + GROUP, "'some-tool'"));
			});
		}

		Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
			this.members.check();
			assertThat(this.warnings.raised()).isEmpty();
		});
	}

	private KafkaConsumer<byte[], byte[]> member(String clientId) {
		KafkaConsumer<byte[], byte[]> member = new KafkaConsumer<>(
				Map.of("bootstrap.servers", "127.0.0.1:" + this.port, "group.id", GROUP, "client.id", clientId),
				new ByteArrayDeserializer(), new ByteArrayDeserializer());
		member.subscribe(List.of("topic"));
		return member;
	}

	private static void awaitAssigned(KafkaConsumer<byte[], byte[]> member) {
		Awaitility.await().pollInSameThread().atMost(60, TimeUnit.SECONDS).until(() -> {
			member.poll(Duration.ofMillis(100));
			return !member.assignment().isEmpty();
		});
	}

	/** A broker goes by rights some time after it has answered that it has them. */
	private static void makeGroup(Admin admin) {
		Awaitility.await().atMost(60, TimeUnit.SECONDS).ignoreException(ExecutionException.class).until(() -> {
			admin.alterConsumerGroupOffsets(GROUP, Map.of(new TopicPartition("topic", 0), new OffsetAndMetadata(0)))
				.all()
				.get(30, TimeUnit.SECONDS);
			return true;
		});
	}

	private void await(List<String> reasons) {
		Awaitility.await().atMost(60, TimeUnit.SECONDS).untilAsserted(() -> {
			this.members.check();
			assertThat(this.refusals.first().map(Refusals.Refusal::reason).stream()).containsExactlyElementsOf(reasons);
		});
	}

}
