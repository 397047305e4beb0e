package jobs.chassis.operations;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import jobs.chassis.contracts.ContractInForce;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;

/**
 * Warns at the start of environment variables that begin as settings of this service do
 * and are none, since Spring passes over a typing error without a word.
 */
final class UnknownSettings implements ApplicationListener<ContextRefreshedEvent> {

	private static final Logger logger = LoggerFactory.getLogger(UnknownSettings.class);

	/** The settings of all services that are no record's. */
	private static final List<String> SHARED = List.of("JOBS_FAREWELL", "JOBS_UNTRACED_PATHS", "JOBS_SECURITY_ENABLED",
			"JOBS_SECURITY_KEYS_FILE", "JOBS_SECURITY_ORIGINS", "JOBS_SECURITY_JOBS_PER_SECOND",
			"JOBS_SECURITY_BYTES_PER_SECOND", "JOBS_RESOURCES");

	/**
	 * The settings of each resource, whose name has no hyphens in a variable; those of
	 * one service say nothing to the other. What says how a contract is read stands in
	 * the file alone.
	 */
	private static final List<String> OF_A_RESOURCE = List.of("FINDBY", "LIST", "MAXSIZE", "TOPIC", "DEADLETTERTOPIC",
			"COLLECTION", "DEADLETTERCOLLECTION", "GROUP");

	/**
	 * What comes behind a name of ours in variables that are not for the service: of the
	 * launcher, of scripts of deployments, and of a service in Kubernetes.
	 */
	private static final Pattern OF_OTHERS = Pattern
		.compile("(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT(_\\d+_(TCP|UDP).*)?)|USER|PASSWORD|JAAS|KEY");

	/** Ends the name of an element of a list. */
	private static final String ELEMENT = "_\\d+_?$";

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (event.getApplicationContext().getParent() != null) {
			// the one of a port of operators' own, which has no settings of the service
			return;
		}
		Set<String> known = new TreeSet<>(SHARED);
		Set<String> prefixes = new TreeSet<>(Set.of("JOBS_"));
		event.getApplicationContext().getBeansWithAnnotation(ConfigurationProperties.class).values().forEach((bean) -> {
			Class<?> type = ClassUtils.getUserClass(bean);
			ConfigurationProperties settings = type.getAnnotation(ConfigurationProperties.class);
			if (settings != null && type.isRecord() && type.getName().startsWith("jobs.")) {
				String prefix = variable(settings.value()) + "_";
				prefixes.add(prefix);
				Stream.of(type.getRecordComponents())
					.map(RecordComponent::getName)
					.forEach((name) -> known.add(prefix + variable(name)));
			}
		});
		Set<String> ofResources = ofResources(event.getApplicationContext());
		Set<String> all = new TreeSet<>(known);
		all.addAll(ofResources);
		if (event.getApplicationContext().getEnvironment() instanceof ConfigurableEnvironment environment) {
			environment.getSystemEnvironment()
				.keySet()
				.stream()
				.filter((name) -> !ofResources.contains(name) && isUnknown(name, prefixes, known))
				.forEach((name) -> logger.warn("{} is no setting of this service; did you mean {}?", name,
						nearest(name, all)));
		}
	}

	/** The variables of the resources whose contracts the service declares. */
	private static Set<String> ofResources(ApplicationContext context) {
		return context.getBeanProvider(ContractInForce.All.class)
			.stream()
			.flatMap((all) -> all.contracts().stream())
			.map((one) -> "JOBS_RESOURCES_%s_".formatted(one.resource().replace("-", "").toUpperCase(Locale.ROOT)))
			.flatMap((prefix) -> OF_A_RESOURCE.stream().map(prefix::concat))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/** The variable of a setting, whose words are parted by case, dots or hyphens. */
	private static String variable(String name) {
		return name.replaceAll("([a-z])([A-Z])", "$1_$2").replaceAll("[.-]", "_").toUpperCase(Locale.ROOT);
	}

	private static boolean isUnknown(String name, Set<String> prefixes, Set<String> known) {
		String own = withoutSigns(name.replaceFirst(ELEMENT, ""));
		return prefixes.stream()
			.anyMatch((prefix) -> name.startsWith(prefix)
					&& !OF_OTHERS.matcher(name.substring(prefix.length())).matches())
				&& known.stream().noneMatch((one) -> withoutSigns(one).equals(own));
	}

	/** Boot takes names with and without underscores between words. */
	private static String withoutSigns(String name) {
		return name.replace("_", "");
	}

	/** The known name that the fewest changes of single characters lead to. */
	static String nearest(String name, Set<String> known) {
		return known.stream().min(Comparator.comparingInt((one) -> changes(name, one))).orElse("");
	}

	/** Levenshtein's distance. */
	private static int changes(String one, String other) {
		int[] before = new int[other.length() + 1];
		Arrays.setAll(before, (j) -> j);
		for (int i = 1; i <= one.length(); i++) {
			int[] now = new int[other.length() + 1];
			now[0] = i;
			for (int j = 1; j <= other.length(); j++) {
				int replaced = before[j - 1] + ((one.charAt(i - 1) == other.charAt(j - 1)) ? 0 : 1);
				now[j] = Math.min(replaced, 1 + Math.min(before[j], now[j - 1]));
			}
			before = now;
		}
		return before[other.length()];
	}

}
