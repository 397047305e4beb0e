package jobs.endtoend.house;

import java.nio.file.Path;
import java.util.List;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import com.tngtech.archunit.library.Architectures;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Dependencies between packages run one way: each service has floors, and no arrow runs
 * back up.
 */
class BorderTests {

	private static final String[] SERVICES = { "jobs.resttokafka..", "jobs.kafkatomongo.." };

	private final JavaClasses classes = new ClassFileImporter()
		.importPaths(List.of("contract", "chassis", "rest-to-kafka", "kafka-to-mongo", "crawler")
			.stream()
			.map((module) -> Path.of("..", module, "target", "classes"))
			.toList());

	@ParameterizedTest
	@ValueSource(strings = { "jobs.chassis", "jobs.resttokafka", "jobs.kafkatomongo", "jobs.crawler" })
	void hasNoCircle(String root) {
		check(SlicesRuleDefinition.slices().matching(root + ".(*)..").should().beFreeOfCycles());
	}

	@Test
	void sharesTheContractAndTheChassisAndNothingElse() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage("jobs.resttokafka..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("jobs.kafkatomongo.."));
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage("jobs.kafkatomongo..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("jobs.resttokafka.."));
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAnyPackage("jobs.contract..", "jobs.chassis..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(SERVICES));
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage("jobs.chassis..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("jobs.contract.."));
	}

	/** It meets the pair over HTTP. */
	@Test
	void keepsTheCrawlerFreeOfTheServices() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage("jobs.crawler..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("jobs.contract..", "jobs.chassis..", "jobs.resttokafka..", "jobs.kafkatomongo..",
					"org.springframework..", "org.apache.kafka.."));
	}

	/** A step of the clock would end a wait, or never. */
	@Test
	void countsNoTimeInTheChassisByTheTimeOfDay() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage("jobs.chassis..")
			.should()
			.callMethod(System.class, "currentTimeMillis"));
	}

	/**
	 * As a member of another configuration it counts for the service's port as well,
	 * whatever its own annotation says.
	 */
	@Test
	void keepsWhatIsForAPortOfOperatorsApart() {
		check(ArchRuleDefinition.classes()
			.that()
			.areAnnotatedWith("org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration")
			.should()
			.beTopLevelClasses());
	}

	@Test
	void keepsTheContractFreeOfHttpKafkaAndMongoDb() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage("jobs.contract..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework..", "jakarta.servlet..", "org.apache.kafka..", "org.bson..",
					"com.mongodb.."));
	}

	@Test
	void keepsHttpOutOfPublishingAndStoring() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAnyPackage("jobs.resttokafka.publish..", "jobs.resttokafka.intake..", "jobs.kafkatomongo.store..",
					"jobs.kafkatomongo.deadletter..", "jobs.kafkatomongo.document..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("jakarta.servlet..", "org.springframework.web..", "org.apache.catalina.."));
	}

	@Test
	void standsOnTheFloorsOfRestToKafka() {
		check(Architectures.layeredArchitecture()
			.consideringOnlyDependenciesInLayers()
			.layer("http")
			.definedBy("jobs.resttokafka.http")
			.layer("intake")
			.definedBy("jobs.resttokafka.intake")
			.layer("publish")
			.definedBy("jobs.resttokafka.publish")
			.whereLayer("http")
			.mayNotBeAccessedByAnyLayer()
			.whereLayer("intake")
			.mayOnlyBeAccessedByLayers("http")
			.layer("service")
			.definedBy("jobs.resttokafka")
			.whereLayer("publish")
			.mayOnlyBeAccessedByLayers("http", "intake")
			.whereLayer("service")
			.mayOnlyBeAccessedByLayers("http", "intake", "publish"));
	}

	@Test
	void standsOnTheFloorsOfKafkaToMongo() {
		check(Architectures.layeredArchitecture()
			.consideringOnlyDependenciesInLayers()
			.layer("service")
			.definedBy("jobs.kafkatomongo")
			.layer("one")
			.definedBy("jobs.kafkatomongo.consumption", "jobs.kafkatomongo.document", "jobs.kafkatomongo.http",
					"jobs.kafkatomongo.mongo")
			.layer("console")
			.definedBy("jobs.kafkatomongo.console")
			.layer("pipeline")
			.definedBy("jobs.kafkatomongo.pipeline")
			.layer("figures")
			.definedBy("jobs.kafkatomongo.figures")
			.layer("top")
			.definedBy("jobs.kafkatomongo.store", "jobs.kafkatomongo.replay", "jobs.kafkatomongo.query",
					"jobs.kafkatomongo.erasure")
			.layer("events")
			.definedBy("jobs.kafkatomongo.events")
			.layer("lag")
			.definedBy("jobs.kafkatomongo.lag")
			.layer("dead letters")
			.definedBy("jobs.kafkatomongo.deadletter")
			.layer("command")
			.definedBy("jobs.kafkatomongo.trial")
			.whereLayer("console")
			.mayNotBeAccessedByAnyLayer()
			.whereLayer("pipeline")
			.mayOnlyBeAccessedByLayers("console", "command")
			.whereLayer("figures")
			.mayOnlyBeAccessedByLayers("console")
			.whereLayer("top")
			.mayNotBeAccessedByAnyLayer()
			.whereLayer("command")
			.mayOnlyBeAccessedByLayers("service")
			.whereLayer("events")
			.mayOnlyBeAccessedByLayers("top")
			.whereLayer("lag")
			.mayOnlyBeAccessedByLayers("top", "figures", "command")
			.whereLayer("dead letters")
			.mayOnlyBeAccessedByLayers("top", "lag", "figures", "command")
			.whereLayer("one")
			.mayOnlyBeAccessedByLayers("top", "events", "lag", "dead letters", "figures", "pipeline", "console",
					"command")
			.whereLayer("service")
			.mayOnlyBeAccessedByLayers("top", "events", "lag", "dead letters", "one", "figures", "pipeline", "console",
					"command"));
	}

	/**
	 * The loop knows nobody who reads, and nobody reaches into it.
	 */
	@Test
	void leavesTheLoopAlone() {
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideOutsideOfPackage("jobs.kafkatomongo.store..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("jobs.kafkatomongo.store.."));
		check(ArchRuleDefinition.noClasses()
			.that()
			.resideInAPackage("jobs.kafkatomongo.store..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("jobs.kafkatomongo.query..", "jobs.kafkatomongo.replay..", "jobs.kafkatomongo.lag..",
					"jobs.kafkatomongo.console..", "jobs.kafkatomongo.http.."));
	}

	private void check(ArchRule rule) {
		rule.check(this.classes);
	}

}
