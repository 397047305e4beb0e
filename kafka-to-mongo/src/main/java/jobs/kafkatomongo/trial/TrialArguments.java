package jobs.kafkatomongo.trial;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import org.jspecify.annotations.Nullable;

/**
 * What a trial is asked for.
 *
 * @param schema the file of the new contract
 * @param resource the resource whose contract it would be, or {@code null} for the only
 * one
 * @param records how many of the last records of the topic are read, 0 for none
 * @param isJson whether the outcome is printed as JSON
 * @param backtracks whether patterns may backtrack
 * @param asserts whether formats refuse
 * @param settings settings of the service, as {@code --spring.mongodb.uri=...}
 */
record TrialArguments(Path schema, @Nullable String resource, long records, boolean isJson, boolean backtracks,
		boolean asserts, List<String> settings) {

	static final String USAGE = """
			Usage: try-contract [OPTION ...] SCHEMA_FILE

			Tells how many of the stored documents a new contract would refuse, and how many of the open dead letters
			would pass. It only reads. The exit code is 0 where it would refuse nothing, 1 where it would refuse
			documents or records, and 2 where the trial can't be made.

			  --resource NAME       the resource whose contract it would be, where there are several
			  --records N           try the last N records of the topic, too
			  --json                print the outcome as one JSON object
			  --backtracking        allow patterns that need backtracking, as "patterns: backtracking" does
			  --annotate-formats    don't refuse by "format", as "formats: annotate" does
			  --NAME.OF.SETTING=... a setting of the service
			""";

	/** Reads them, and throws TrialException for those that are not understood. */
	static TrialArguments parse(List<String> arguments) {
		Queue<String> left = new ArrayDeque<>(arguments);
		List<String> files = new ArrayList<>();
		List<String> settings = new ArrayList<>();
		List<String> flags = new ArrayList<>();
		String resource = null;
		long records = 0;
		while (!left.isEmpty()) {
			String next = left.remove();
			switch (next) {
				case "--resource" -> {
					resource = value(next, left);
				}
				case "--records" -> {
					records = number(value(next, left));
				}
				case "--json", "--backtracking", "--annotate-formats" -> flags.add(next);
				default -> (isSetting(next) ? settings : files).add(next);
			}
		}
		if (files.size() != 1) {
			throw new TrialException(
					"one file with a JSON Schema is needed, and there are %d, see --help".formatted(files.size()));
		}
		return new TrialArguments(path(files.getFirst()), resource, records, flags.contains("--json"),
				flags.contains("--backtracking"), !flags.contains("--annotate-formats"), settings);
	}

	private static boolean isSetting(String argument) {
		if (argument.startsWith("-") && !argument.matches("--[a-z][a-z0-9-]*\\..*=(?s:.*)")) {
			throw new TrialException("there is no option '%s', see --help".formatted(argument));
		}
		return argument.startsWith("-");
	}

	private static String value(String option, Queue<String> left) {
		String value = left.poll();
		if (value == null || value.isBlank()) {
			throw new TrialException("%s needs a value, see --help".formatted(option));
		}
		return value;
	}

	private static long number(String text) {
		if (!text.matches("\\d{1,12}")) {
			throw new TrialException("--records needs a number of records, and '%s' is none".formatted(text));
		}
		return Long.parseLong(text);
	}

	private static Path path(String file) {
		try {
			return Path.of(file);
		}
		catch (InvalidPathException ex) {
			throw new TrialException("'%s' is no file".formatted(file));
		}
	}

}
