package jobs.crawler.page;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A job posting on a page.
 *
 * @param id one for each posting of a site, whatever page shows it
 * @param content as it stands on the page
 */
public record Posting(String id, ObjectNode content) {

	/** Of the pair's {@code _id}. */
	static final int MAX_ID = 512;

	/**
	 * Until when it stands, if it says so: a day until it has ended everywhere, a time
	 * without zone as in Greenwich.
	 */
	public Optional<Instant> validThrough() {
		String text = text(this.content.get("validThrough"));
		if (text == null) {
			return Optional.empty();
		}
		String time = text.strip().replace(' ', 'T');
		if (!time.matches("[0-9]{4}-.{1,40}")) {
			return Optional.empty();
		}
		try {
			return Optional.of(OffsetDateTime.parse(time.replaceFirst("([+-]\\d\\d)(\\d\\d)$", "$1:$2")).toInstant());
		}
		catch (DateTimeException ex) {
			// not a whole one
		}
		try {
			return Optional.of(LocalDateTime.parse(time).toInstant(ZoneOffset.UTC));
		}
		catch (DateTimeException ex) {
			// not a time
		}
		try {
			return Optional.of(LocalDate.parse(time).plusDays(1).atStartOfDay().toInstant(ZoneOffset.ofHours(-12)));
		}
		catch (DateTimeException ex) {
			return Optional.empty();
		}
	}

	/** Its title, or its name. */
	public String title() {
		String title = text(this.content.get("title"));
		return (title != null) ? title : String.valueOf(text(this.content.get("name")));
	}

	/** The first text in a value: itself, of an array, or the value of a property. */
	static @Nullable String text(@Nullable JsonNode node) {
		if (node == null) {
			return null;
		}
		if (node.isArray()) {
			return node.valueStream().map(Posting::text).filter((text) -> text != null).findFirst().orElse(null);
		}
		if (node.isObject()) {
			String value = text(node.get("value"));
			return (value != null) ? value : text(node.get("@value"));
		}
		boolean isText = (node.isString() || node.isNumber()) && !node.asString().isBlank();
		return isText ? node.asString().strip() : null;
	}

}
