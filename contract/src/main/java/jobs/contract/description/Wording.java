package jobs.contract.description;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jobs.contract.Roles;
import jobs.contract.resources.Resource;

/** The words and names of a resource in place of those of the jobs. */
final class Wording {

	private static final Pattern OF_JOBS = Pattern
		.compile("\\bdead-letters:(read|operate)|\\bjobs:(write|read|erase)|/dead-letters\\b|/jobs\\b|\\b[Jj]obs?\\b");

	private final Resource resource;

	private final Roles roles;

	Wording(Resource resource) {
		this.resource = resource;
		this.roles = Roles.of(resource.name());
	}

	/** A text that is about no resource alone. */
	static String ofAny(String text) {
		return text.replace("Jobs", "Documents")
			.replace("Job", "Document")
			.replaceAll("\\bjob\\b", "document")
			.replaceAll("\\bjobs\\b", "documents");
	}

	/** A description or a summary. */
	String text(String text) {
		String named = text.replace("jobs-topic1", this.resource.topic())
			.replace("db.deadLetters", "db." + this.resource.deadLetterCollection());
		return this.resource.isJobs() ? named
				: OF_JOBS.matcher(named).replaceAll((found) -> Matcher.quoteReplacement(word(found)));
	}

	private String word(MatchResult found) {
		return switch (found.group()) {
			case "dead-letters:read" -> this.roles.readDeadLetters();
			case "dead-letters:operate" -> this.roles.operateDeadLetters();
			case "jobs:write" -> this.roles.write();
			case "jobs:read" -> this.roles.read();
			case "jobs:erase" -> this.roles.erase();
			case "/dead-letters" -> this.resource.deadLettersPath();
			case "/jobs" -> this.resource.path();
			default -> ofAny(found.group());
		};
	}

	/** A path that begins with that of jobs or of their dead letters. */
	String path(String path) {
		return path.replaceFirst("^/jobs", this.resource.path())
			.replaceFirst("^/dead-letters", this.resource.deadLettersPath());
	}

	/** The tag of operations. */
	String tag(String tag) {
		return this.resource.isJobs() ? tag
				: tag.equals(Resource.JOBS) ? this.resource.name() : tag + " of " + this.resource.name();
	}

	/** The id of an operation; no two resources have the same. */
	String operation(String id) {
		String name = this.resource.name().replace('-', '_');
		return this.resource.isJobs() ? id
				: ofAny(id) + "Of" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
	}

	/** The name of a component that is about this resource. */
	String component(String name) {
		return this.resource.isJobs() ? name : this.resource.name() + "." + ofAny(name);
	}

	/** The name of a channel. */
	String channel(String name) {
		return this.resource.isJobs() ? name
				: name.equals(Resource.JOBS) ? this.resource.name() : this.resource.name() + "." + name;
	}

}
