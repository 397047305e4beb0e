package jobs.kafkatomongo.trial;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoServerException;
import jobs.chassis.operations.SettingException;
import jobs.contract.Contract;
import jobs.contract.ContractException;
import jobs.contract.ContractSettings;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.mongodb.autoconfigure.MongoConnectionDetails;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.mongodb.MongoDatabaseFactory;
import org.springframework.kafka.core.ConsumerFactory;

/**
 * The command {@code try-contract}: what a new contract would do. It has the settings of
 * the service, and neither a web server nor listeners.
 */
public final class TrialCommand {

	private static final String NAME = "try-contract";

	private static final int REFUSES = 1;

	private static final int FAILED = 2;

	private TrialCommand() {
	}

	/** Whether arguments of the service name this command. */
	public static boolean isMeant(String[] args) {
		return args.length > 0 && args[0].equals(NAME);
	}

	/** Runs the command, and ends the process with its exit code. */
	public static void main(String[] args) {
		PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
		// logs would stand between what is printed
		System.setProperty("logging.threshold.console", "OFF");
		System.exit(run(args, out, err));
	}

	/**
	 * Prints the outcome, and progress and failures to {@code err}.
	 * @return 0 where nothing would be refused, 1 where documents or records would, 2
	 * where the trial can't be made
	 */
	static int run(String[] args, PrintStream out, PrintStream err) {
		List<String> words = Arrays.asList(args).subList(1, args.length);
		if (words.contains("--help") || words.contains("-h")) {
			out.print(TrialArguments.USAGE);
			return 0;
		}
		try {
			TrialArguments arguments = TrialArguments.parse(words);
			Outcome outcome = run(arguments, err);
			out.print(arguments.isJson() ? outcome.toJson() + "\n" : outcome.toText());
			out.flush();
			return outcome.refuses() ? REFUSES : 0;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			err.println(NAME + ": interrupted");
		}
		catch (OutOfMemoryError ex) {
			err.println(
					NAME + ": a document is too large for the heap: give Java more, as by JAVA_TOOL_OPTIONS=-Xmx512m");
		}
		catch (RuntimeException ex) {
			err.println(NAME + ": " + sentence(ex));
		}
		return FAILED;
	}

	private static Outcome run(TrialArguments arguments, PrintStream err) throws InterruptedException {
		try (ConfigurableApplicationContext context = context(arguments)) {
			Resource resource = resource(context.getBean(Resources.class), arguments.resource());
			Contract contract = Contract.of(arguments.schema(),
					new ContractSettings(arguments.asserts(), arguments.backtracks(), !resource.isJobs()));
			resource.keys().lacks(contract).forEach((key, reason) -> {
				throw new TrialException(
						"neither service would start: %s of '%s': %s".formatted(key, resource.name(), reason));
			});
			MongoDatabaseFactory mongo = context.getBean(MongoDatabaseFactory.class);
			try (Progress progress = new Progress(err, isTerminal())) {
				return new Trial(resource, contract, mongo.getMongoDatabase(), () -> records(context), progress)
					.run(arguments.records());
			}
			catch (MongoException ex) {
				throw new TrialException(sentence(ex, context.getBean(MongoConnectionDetails.class)));
			}
		}
	}

	private static ConfigurableApplicationContext context(TrialArguments arguments) {
		return new SpringApplicationBuilder(TrialConfiguration.class).web(WebApplicationType.NONE)
			.lazyInitialization(true)
			.registerShutdownHook(false)
			.run(arguments.settings().toArray(String[]::new));
	}

	@SuppressWarnings("unchecked")
	private static LastRecords records(ConfigurableApplicationContext context) {
		return new LastRecords(context.getBean(ConsumerFactory.class).getConfigurationProperties());
	}

	private static boolean isTerminal() {
		return Boolean.getBoolean("moves") || (System.console() != null && System.console().isTerminal());
	}

	private static Resource resource(Resources resources, @Nullable String name) {
		if (name == null && resources.areSeveral()) {
			throw new TrialException(
					"there are several resources: name one of %s with --resource".formatted(resources.names()));
		}
		Resource resource = (name != null) ? resources.find(name) : resources.all().getFirst();
		if (resource == null) {
			throw new TrialException("there is no resource '%s', but %s".formatted(name, resources.names()));
		}
		return resource;
	}

	/** The driver's own words are long, and have a stack trace of each member. */
	private static String sentence(MongoException failure, MongoConnectionDetails server) {
		List<String> hosts = server.getConnectionString().getHosts();
		if (failure instanceof MongoSecurityException) {
			return "MongoDB at %s refuses the login of SPRING_MONGODB_URI".formatted(hosts);
		}
		return (failure instanceof MongoServerException && failure.getCode() > 0)
				? "MongoDB at %s refuses to be read: %s".formatted(hosts, failure.getMessage())
				: "MongoDB at %s does not answer, see SPRING_MONGODB_URI".formatted(hosts);
	}

	private static String sentence(RuntimeException failure) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(failure);
		String words = Objects.requireNonNullElse(cause.getMessage(), cause.toString());
		return switch (failure) {
			case TrialException own -> String.valueOf(own.getMessage());
			case ContractException contract -> String.valueOf(contract.getMessage());
			case KafkaException _ -> "Kafka does not answer, see SPRING_KAFKA_BOOTSTRAP_SERVERS: " + words;
			default -> (cause instanceof SettingException) ? words : "the trial failed: " + words + place(failure);
		};
	}

	/** The setting whose value is not understood, if it is that. */
	private static String place(Throwable failure) {
		for (Throwable one = failure; one != null; one = one.getCause()) {
			if (one instanceof BindException) {
				return ". " + one.getMessage();
			}
		}
		return "";
	}

}
