package jobs.contract;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A folder full of files that are no contract, each with words of the reason why: those
 * of {@code hostile/expected.tsv}, and those that are too large or too strange for a
 * repository.
 */
final class HostileContracts {

	static final Path STORED = Path.of("../contract/src/test/resources/hostile");

	private static final String DRAFT = "\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"";

	private static final String LARGER = "larger than 1048576 bytes";

	private static final int MEBIBYTE = 1024 * 1024;

	private final List<Hostile> all = new ArrayList<>();

	private final Path folder;

	/** Writes the files below a folder, which is empty. */
	HostileContracts(Path folder) {
		this.folder = folder.resolve("contracts");
		try {
			copyStored();
			Files.writeString(folder.resolve("outside.json"), "{%s}".formatted(DRAFT));
			writeHuge();
			writeStrange(folder);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Ends with 0 when all files were refused for the right reason, and prints the
	 * others.
	 */
	static void main(String[] arguments) {
		boolean isGood = true;
		for (Hostile hostile : new HostileContracts(Path.of(arguments[0])).all()) {
			String fault = hostile.check();
			if (!fault.isEmpty()) {
				System.out.println(hostile + ": " + fault);
				isGood = false;
			}
		}
		System.exit(isGood ? 0 : 1);
	}

	List<Hostile> all() {
		return this.all;
	}

	private void copyStored() throws IOException {
		try (Stream<Path> files = Files.walk(STORED)) {
			for (Path file : files.toList()) {
				Files.copy(file, this.folder.resolve(STORED.relativize(file).toString()));
			}
		}
		for (String line : Files.readAllLines(STORED.resolve("expected.tsv")).stream().skip(1).toList()) {
			String[] columns = line.split("\t", 3);
			this.all.add(new Hostile(this.folder.resolve(columns[0]), columns[1], columns[2]));
		}
	}

	private void writeHuge() throws IOException {
		String start = "{%s,\"type\":\"object\",\"title\":\"".formatted(DRAFT);
		write("huge-by-one-byte.json", start + "x".repeat(MEBIBYTE - start.length() - 1) + "\"}", LARGER);
		try (RandomAccessFile file = new RandomAccessFile(this.folder.resolve("huge-100-mib.json").toFile(), "rw")) {
			file.setLength(100L * MEBIBYTE);
		}
		add("huge-100-mib.json", LARGER);
		write("huge-enum.json", "{%s,\"enum\":[%s]}".formatted(DRAFT, numbers(1_000_000)), LARGER);
		write("huge-chain.json", chain(100_000), LARGER);
		write("chain.json", chain(30_000), "/$defs/");
		write("pattern-of-classes.json", "{%s,\"pattern\":\"%s\"}".formatted(DRAFT, "\\\\pL".repeat(100_000)),
				"pattern");
		write("pattern-of-groups.json",
				"{%s,\"pattern\":\"%s\"}".formatted(DRAFT, "(".repeat(20_000) + ")".repeat(20_000)), "pattern");
		writeManyFiles();
	}

	/** Each of them is within bounds; all together hold more values than 256 MiB take. */
	private void writeManyFiles() throws IOException {
		Path many = Files.createDirectory(this.folder.resolve("many"));
		String numbers = numbers(100_000);
		for (int i = 0; i < 64; i++) {
			Files.writeString(many.resolve(i + ".json"),
					"{%s,\"$ref\":\"%d.json\",\"enum\":[%s]}".formatted(DRAFT, i + 1, numbers));
		}
		Files.writeString(many.resolve("64.json"), "{%s}".formatted(DRAFT));
		this.all.add(new Hostile(many.resolve("0.json"), "$ref", "larger than"));
	}

	private void writeStrange(Path outside) throws IOException {
		Files.createSymbolicLink(this.folder.resolve("link.json"), outside.resolve("outside.json"));
		write("ref-link-out-of-the-folder.json", reference("link.json"), "link.json");
		Files.createSymbolicLink(this.folder.resolve("endless.json"), Path.of("/dev/zero"));
		write("ref-endless.json", reference("endless.json"), "endless.json");
		Files.createSymbolicLink(this.folder.resolve("itself.json"), this.folder.resolve("itself.json"));
		add("itself.json", "");
		makePipe(this.folder.resolve("pipe.json"));
		add("pipe.json", "");
		write("ref-pipe.json", reference("pipe.json"), "pipe.json");
		Files.createDirectory(this.folder.resolve("directory.json"));
		add("directory.json", "");
		add("not-there.json", "");
		Path secret = Files.writeString(this.folder.resolve("secret.json"), "{%s}".formatted(DRAFT));
		Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("---------"));
		if (!Files.isReadable(secret)) {
			add("secret.json", "");
		}
	}

	private static void makePipe(Path pipe) throws IOException {
		try {
			new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start().waitFor();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void write(String file, String content, String fragment) throws IOException {
		Files.writeString(this.folder.resolve(file), content, StandardCharsets.UTF_8);
		add(file, fragment);
	}

	private void add(String file, String fragment) {
		this.all.add(new Hostile(this.folder.resolve(file), file, fragment));
	}

	private static String reference(String file) {
		return "{%s,\"type\":\"object\",\"properties\":{\"value\":{\"$ref\":\"%s\"}}}".formatted(DRAFT, file);
	}

	private static String numbers(int count) {
		return IntStream.range(0, count).mapToObj(Integer::toString).collect(Collectors.joining(","));
	}

	private static String chain(int length) {
		return "{%s,\"$ref\":\"#/$defs/0\",\"$defs\":{%s,\"%d\":{}}}".formatted(DRAFT,
				IntStream.range(0, length)
					.mapToObj((i) -> "\"%d\":{\"$ref\":\"#/$defs/%d\"}".formatted(i, i + 1))
					.collect(Collectors.joining(",")),
				length);
	}

	/** A contract, its file that is at fault, and words of the reason. */
	record Hostile(Path file, String fault, String fragment) {

		/**
		 * What is wrong with the answer; nothing if the file is refused for its reason.
		 */
		String check() {
			try {
				Contract.of(this.file, ContractSettings.DEFAULTS);
				return "is accepted";
			}
			catch (ContractException ex) {
				String reason = String.valueOf(ex.getMessage());
				return (reason.contains(this.fault) && reason.replace(this.fault, "").contains(this.fragment)) ? ""
						: "is refused with: " + reason;
			}
			catch (RuntimeException | StackOverflowError | OutOfMemoryError ex) {
				return "throws " + ex;
			}
		}

		@Override
		public String toString() {
			return this.file.getFileName() + " (" + this.fragment + ")";
		}

	}

}
