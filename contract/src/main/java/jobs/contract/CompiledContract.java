package jobs.contract;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * A contract that was understood as a whole.
 *
 * @param text all of its files in one JSON text
 * @param digest the SHA-256 of that
 * @param warnings which keywords refuse nothing
 * @param whole the rule of a document, as far as the walk knows it
 * @param rules what the walk checks
 * @param validator what checks the rest
 */
record CompiledContract(String text, String digest, List<String> warnings, Rule whole, Rules rules,
		SchemaValidator validator) {

	private static final int MAX_SECONDS = 10;

	/** Schemas nest, and so do the calls that read them. */
	private static final long STACK_SIZE = 64L * 1024 * 1024;

	private static final int MAX_NAMES = 4096;

	private static final int MAX_FAMILIES = 64;

	/**
	 * Compiles a contract within ten seconds. Throws ContractException with the place and
	 * the reason where it is none, or is too much.
	 */
	static CompiledContract of(Supplier<SchemaBundle> source, ContractSettings settings) {
		CompletableFuture<CompiledContract> result = new CompletableFuture<>();
		Thread thread = new Thread(null, () -> {
			try {
				result.complete(compile(source.get(), settings));
			}
			catch (StackOverflowError ex) {
				result.completeExceptionally(new ContractException("The contract nests too deep", ex));
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		}, "contract", STACK_SIZE);
		thread.setDaemon(true);
		thread.start();
		try {
			return result.get(MAX_SECONDS, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof ContractException reason) ? reason
					: new ContractException("The contract is not understood: " + ex.getCause(), ex.getCause());
		}
		catch (TimeoutException ex) {
			throw new ContractException("The contract takes longer than %d s to compile".formatted(MAX_SECONDS), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new ContractException("The contract was not compiled to its end", ex);
		}
	}

	private static CompiledContract compile(SchemaBundle bundle, ContractSettings settings) {
		SchemaIndex index = bundle.index();
		Applicators.check(index);
		Patterns patterns = new Patterns(settings.backtrackingPatterns());
		index.all().forEach((schema) -> {
			checkPatterns(index, schema, patterns);
			checkSizes(index, schema);
		});
		SchemaValidator validator = new SchemaValidator(bundle.tree(), index, patterns, settings.assertFormats());
		Rule rule = new RuleCompiler(index, patterns, settings.assertFormats()).compile();
		String text = bundle.text();
		return new CompiledContract(text, Sha256.of(text), Warnings.of(index, bundle), rule,
				Rules.of(rule, validator::parts, isStatic(index)), validator);
	}

	/** What is known of a field; the document itself is always an object. */
	Contract.Field field(String pointer) {
		Rule rule = this.whole;
		boolean isRequired = true;
		for (String name : pointer.substring(1).split("/")) {
			isRequired &= rule == this.whole || rule.kinds == Rule.OBJECT;
			ObjectRule.Field field = (rule.object != null) ? rule.object.field(name) : null;
			isRequired &= field != null && field.isRequired();
			rule = (field != null) ? field.rule() : Rule.ANY;
		}
		return new Contract.Field(isRequired, rule.types());
	}

	private static void checkPatterns(SchemaIndex index, Subschema schema, Patterns patterns) {
		if (schema.get("pattern").isString()) {
			checkPattern(index, schema, "/pattern", schema.get("pattern").asString(), patterns);
		}
		for (String regex : schema.get("patternProperties").propertyNames()) {
			checkPattern(index, schema, "/patternProperties/" + Subschema.escape(regex), regex, patterns);
		}
	}

	private static void checkPattern(SchemaIndex index, Subschema schema, String pointer, String regex,
			Patterns patterns) {
		try {
			patterns.getRegularExpression(regex);
		}
		catch (IllegalArgumentException ex) {
			throw index.fault(schema, pointer, "the pattern \"%s\" is refused: %s".formatted(regex, ex.getMessage()));
		}
	}

	/** Each of these takes time for every object of a document, whatever is in it. */
	private static void checkSizes(SchemaIndex index, Subschema schema) {
		for (String keyword : List.of("properties", "required", "dependentRequired", "dependentSchemas")) {
			if (schema.get(keyword).size() > MAX_NAMES) {
				throw index.fault(schema, "/" + keyword, "names more than %d fields".formatted(MAX_NAMES));
			}
		}
		if (schema.get("patternProperties").size() > MAX_FAMILIES) {
			throw index.fault(schema, "/patternProperties", "has more than %d patterns".formatted(MAX_FAMILIES));
		}
		for (String name : List.of("true", "false")) {
			if (schema.has(name)) {
				throw index.fault(schema, "/" + name, "is no keyword");
			}
		}
	}

	/** Whether what a schema says never depends on the way to it. */
	private static boolean isStatic(SchemaIndex index) {
		return index.all()
			.stream()
			.noneMatch((schema) -> schema.has("$dynamicRef")
					|| (schema.get("$ref").isString() && index.target(schema, "$ref") == null));
	}

}
