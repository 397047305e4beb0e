package jobs.contract;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** Tells which keywords of a contract refuse nothing, although they look as if. */
final class Warnings {

	private static final int MAX_WARNINGS = 100;

	private static final Set<String> KEYWORDS = Keywords.meaningful();

	/** Keywords that mean nothing without another. */
	private static final Map<String, String> PARTNERS = Map.of("then", "if", "else", "if", "minContains", "contains",
			"maxContains", "contains");

	private Warnings() {
	}

	/** One sentence for each, at most {@value #MAX_WARNINGS}. */
	static List<String> of(SchemaIndex index, SchemaBundle bundle) {
		List<String> warnings = new ArrayList<>();
		for (Subschema schema : index.all()) {
			for (String keyword : schema.node().propertyNames()) {
				String reason = reason(schema, keyword);
				if (reason != null && warnings.size() < MAX_WARNINGS) {
					String pointer = schema.pointer() + "/" + Subschema.escape(keyword);
					warnings.add(
							"%s, at \"%s\": %s".formatted(bundle.file(pointer), bundle.pointerInFile(pointer), reason));
				}
			}
		}
		return List.copyOf(warnings);
	}

	private static @Nullable String reason(Subschema schema, String keyword) {
		String partner = PARTNERS.get(keyword);
		if (partner != null && !schema.has(partner)) {
			return "\"%s\" refuses nothing without \"%s\"".formatted(keyword, partner);
		}
		if (keyword.equals("format") && !Formats.names().contains(schema.get(keyword).asString(""))) {
			return "the format \"%s\" is not known here and refuses nothing"
				.formatted(schema.get(keyword).asString(""));
		}
		if (KEYWORDS.contains(keyword) || Keywords.isAnnotation(keyword)) {
			return null;
		}
		String meant = KEYWORDS.stream().filter(keyword::equalsIgnoreCase).findFirst().orElse(null);
		return "the keyword \"%s\" refuses nothing here%s".formatted(keyword,
				(meant != null) ? ", \"%s\" would".formatted(meant) : "");
	}

}
