package jobs.contract.resources;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a service that say something of resources.
 *
 * @param all the values of settings by their names
 * @param ofJobs the values of those that say something of the jobs under other names, by
 * the keys that a file has for them
 * @param maxSize the most bytes of a document, as {@code 256KB}, where nothing else says
 * it
 */
public record ResourceSettings(Function<String, @Nullable String> all, Function<String, @Nullable String> ofJobs,
		String maxSize) {

	/**
	 * The value of a setting, or {@code null} where the service has none. It wins over
	 * what the file says.
	 * @param key as the file has it, such as {@code dead-letter-topic}
	 */
	@Nullable String get(String resource, String key) {
		String ofJobs = resource.equals(Resource.JOBS) ? this.ofJobs.apply(key) : null;
		return (ofJobs != null) ? ofJobs : ofBoth(resource, key);
	}

	/** The same without the settings that one of the services has for itself. */
	@Nullable String ofBoth(String resource, String key) {
		return this.all.apply("jobs.resources.%s.%s".formatted(resource, key));
	}

}
