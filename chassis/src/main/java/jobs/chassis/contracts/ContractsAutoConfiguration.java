package jobs.chassis.contracts;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;

/** Shows the contracts of a service that declares them. */
@AutoConfiguration
@ConditionalOnBean(ContractInForce.All.class)
class ContractsAutoConfiguration {

	private static final Logger logger = LoggerFactory.getLogger(ContractsAutoConfiguration.class);

	@Bean
	ContractsController contractsController(ContractInForce.All contracts) {
		return new ContractsController(contracts.contracts());
	}

	/** Says at the start which rules of a contract refuse nothing. */
	@Bean
	ApplicationListener<ApplicationReadyEvent> contractWarnings(ContractInForce.All contracts) {
		return (_) -> contracts.contracts()
			.forEach((contract) -> contract.warnings()
				.forEach((warning) -> logger.atWarn().addKeyValue("resource", contract.resource()).log(warning)));
	}

	@Bean
	MeterBinder contractInformation(ContractInForce.All contracts,
			@Value("${spring.application.name:}") String service) {
		return (registry) -> contracts.contracts()
			.forEach((contract) -> Gauge.builder("jobs.contract.info", () -> 1)
				.description("Always 1; its labels tell which contract is in force")
				.tag("resource", contract.resource())
				.tag("service", service)
				.tag("sha256", contract.sha256())
				.tag("max.size", Integer.toString(contract.maxSize()))
				.register(registry));
	}

}
