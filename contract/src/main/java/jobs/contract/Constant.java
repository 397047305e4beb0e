package jobs.contract;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaContext;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.keyword.AbstractKeyword;
import com.networknt.schema.keyword.ConstValidator;
import com.networknt.schema.keyword.KeywordValidator;
import com.networknt.schema.path.NodePath;
import tools.jackson.databind.JsonNode;

/**
 * The keyword {@code const}. It writes the values of an error where that is read; the
 * validator's own writes them for each alternative that does not fit.
 */
final class Constant extends AbstractKeyword {

	Constant() {
		super("const");
	}

	@Override
	public KeywordValidator newValidator(SchemaLocation location, JsonNode keyword, Schema parent,
			SchemaContext context) {
		return new Validator(location, keyword, parent, context);
	}

	private static final class Validator extends ConstValidator {

		private final Words words;

		Validator(SchemaLocation location, JsonNode keyword, Schema parent, SchemaContext context) {
			super(location, keyword, parent, context);
			this.words = new Words(keyword);
		}

		@Override
		public void validate(ExecutionContext context, JsonNode value, JsonNode document, NodePath place) {
			if (!isEqual(value)) {
				context.addError(error().instanceNode(value)
					.instanceLocation(place)
					.evaluationPath(context.getEvaluationPath())
					.locale(context.getExecutionConfig().getLocale())
					.arguments(this.words, new Words(value))
					.build());
			}
		}

		private boolean isEqual(JsonNode value) {
			return (this.schemaNode.isNumber() && value.isNumber())
					? this.schemaNode.decimalValue().compareTo(value.decimalValue()) == 0
					: this.schemaNode.equals(value);
		}

	}

	private record Words(JsonNode value) {

		@Override
		public String toString() {
			return this.value.asString(this.value.toString());
		}

	}

}
