package jobs.kafkatomongo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Files of a folder are settings, as in {@code deploy/overlays/production}. They win over
 * the service's own defaults, and a variable wins over them.
 */
class SecretFilesTests {

	private static final String LOGIN = "org.example.Login required password=\"a=b\";";

	@TempDir
	private Path folder;

	@BeforeEach
	void write() throws IOException {
		// as the kubelet shows them: links to a folder that is replaced when a secret
		// changes
		Path data = Files.createDirectory(this.folder.resolve("..2026_11_27"));
		Files.createSymbolicLink(this.folder.resolve("..data"), data.getFileName());
		// an editor ends a file so
		write("spring.mongodb.uri", "mongodb://ann:secret@mongo.example/db\n");
		write("spring.kafka.properties.sasl.jaas.config", LOGIN + "\n");
	}

	private void write(String setting, String value) throws IOException {
		Files.writeString(this.folder.resolve("..data").resolve(setting), value);
		Files.createSymbolicLink(this.folder.resolve(setting), Path.of("..data", setting));
	}

	@Test
	void areSettings() {
		try (ConfigurableApplicationContext context = start(Map.of())) {
			Environment settings = context.getEnvironment();

			assertThat(settings.getProperty("spring.mongodb.uri")).isEqualTo("mongodb://ann:secret@mongo.example/db");
			assertThat(Binder.get(settings)
				.bind("spring.kafka.properties", Bindable.mapOf(String.class, String.class))
				.get()).containsEntry("sasl.jaas.config", LOGIN);
		}
	}

	@Test
	void leaveTheOtherSettingsAlone() {
		try (ConfigurableApplicationContext context = start(Map.of())) {
			assertThat(context.getEnvironment().getProperty("spring.kafka.consumer.isolation-level"))
				.isEqualTo("read_committed");
			assertThat(context.getEnvironment().getProperty("spring.kafka.bootstrap-servers"))
				.isEqualTo("localhost:9092");
		}
	}

	@Test
	void giveWayToAVariable() {
		Map<String, Object> variable = Map.of("SPRING_MONGODB_URI", "mongodb://other.example/db");
		try (ConfigurableApplicationContext context = start(variable)) {
			assertThat(context.getEnvironment().getProperty("spring.mongodb.uri"))
				.isEqualTo("mongodb://other.example/db");
		}
	}

	private ConfigurableApplicationContext start(Map<String, Object> further) {
		Map<String, Object> variables = new HashMap<>(further);
		variables.put("SPRING_CONFIG_IMPORT", "configtree:" + this.folder + "/");
		StandardEnvironment environment = new StandardEnvironment();
		String name = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		environment.getPropertySources().replace(name, new SystemEnvironmentPropertySource(name, variables));
		return new SpringApplicationBuilder(Nothing.class).web(WebApplicationType.NONE).environment(environment).run();
	}

	@Configuration(proxyBeanMethods = false)
	static class Nothing {

	}

}
