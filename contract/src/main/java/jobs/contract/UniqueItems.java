package jobs.contract;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.keyword.AbstractKeyword;
import com.networknt.schema.keyword.KeywordValidator;
import com.networknt.schema.keyword.UniqueItemsValidator;
import com.networknt.schema.path.NodePath;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.StringNode;

/**
 * The keyword {@code uniqueItems}. It compares values as texts, which a set also finds
 * fast where all have one hash; the validator's own takes minutes then.
 */
final class UniqueItems extends AbstractKeyword {

	UniqueItems() {
		super("uniqueItems");
	}

	@Override
	public KeywordValidator newValidator(SchemaLocation location, JsonNode keyword, Schema parent,
			SchemaContext context) {
		return new Validator(location, keyword, parent, context);
	}

	/** Two values are equal if their texts are. */
	private static void write(JsonNode value, StringBuilder text) {
		if (value.isNumber()) {
			text.append(value.decimalValue().stripTrailingZeros());
		}
		else if (value.isArray()) {
			text.append('[');
			value.forEach((one) -> {
				write(one, text);
				text.append(',');
			});
			text.append(']');
		}
		else if (value.isObject()) {
			TreeMap<String, JsonNode> fields = new TreeMap<>();
			value.forEachEntry(fields::put);
			text.append('{');
			fields.forEach((name, one) -> write(one, text.append(StringNode.valueOf(name))));
			text.append('}');
		}
		else {
			text.append(value);
		}
	}

	private static final class Validator extends UniqueItemsValidator {

		Validator(SchemaLocation location, JsonNode keyword, Schema parent, SchemaContext context) {
			super(location, keyword, parent, context);
		}

		@Override
		public void validate(ExecutionContext context, JsonNode value, JsonNode document, NodePath place) {
			if (value.isArray() && this.schemaNode.asBoolean(false) && hasTwice(value)) {
				context.addError(error().instanceNode(value)
					.instanceLocation(place)
					.evaluationPath(context.getEvaluationPath())
					.locale(context.getExecutionConfig().getLocale())
					.build());
			}
		}

		private static boolean hasTwice(JsonNode values) {
			Set<String> texts = new HashSet<>();
			for (JsonNode value : values) {
				StringBuilder text = new StringBuilder();
				write(value, text);
				if (!texts.add(text.toString())) {
					return true;
				}
			}
			return false;
		}

	}

}
