package jobs.contract;

import java.util.function.Predicate;

import com.networknt.schema.ExecutionContext;
import com.networknt.schema.format.Format;

/**
 * A format that the validator and the walk both check, by the same test.
 *
 * @param getName the name in the schema
 * @param test whether a string is of the format
 */
record AssertedFormat(String getName, Predicate<String> test) implements Format {

	@Override
	public String getMessageKey() {
		return "format." + this.getName;
	}

	@Override
	public boolean matches(ExecutionContext context, String value) {
		return this.test.test(value);
	}

}
