package jobs.contract;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * Reads the files of a contract from one folder and those below it.
 * <p>
 * Kubernetes mounts a ConfigMap as links to a folder within the mounted one, so real
 * paths are compared.
 */
final class SchemaFolder {

	/** The largest size of all files together, in bytes. */
	private static final int MAX_SIZE = 4 * SchemaFile.MAX_SIZE;

	private final @Nullable Path folder;

	private long size;

	/** Opens a folder; without one, every file is refused. */
	SchemaFolder(@Nullable Path folder) {
		this.folder = folder;
	}

	/** Reads the first file, which may be a link to anywhere. */
	static SchemaFile open(Path file) {
		Path name = file.getFileName();
		if (name == null || !Files.isRegularFile(file)) {
			throw new ContractException("There is no file \"%s\"".formatted(file));
		}
		return parse(name.toString(), file);
	}

	/**
	 * Reads another file; the path goes from the folder, with slashes. Throws
	 * ContractException without the place that wants it.
	 */
	SchemaFile read(String name) {
		if (this.folder == null) {
			throw new ContractException("this contract has no folder with other files");
		}
		try {
			Path file = this.folder.resolve(name).toRealPath();
			if (!file.startsWith(this.folder.toRealPath())) {
				throw new ContractException("it leads out of the folder of the contract");
			}
			if (!Files.isRegularFile(file)) {
				throw new ContractException("\"%s\" is no file".formatted(name));
			}
			SchemaFile schema = parse(name, file);
			this.size += schema.text().length();
			if (this.size > MAX_SIZE) {
				throw new ContractException("the files together are larger than %d bytes".formatted(MAX_SIZE));
			}
			return schema;
		}
		catch (IOException | InvalidPathException ex) {
			throw new ContractException("there is no file \"%s\" in the folder of the contract".formatted(name), ex);
		}
	}

	private static SchemaFile parse(String name, Path file) {
		try (InputStream in = Files.newInputStream(file)) {
			return SchemaFile.parse(name, in.readNBytes(SchemaFile.MAX_SIZE + 1));
		}
		catch (IOException ex) {
			throw new ContractException("%s can't be read: %s".formatted(name, ex.getMessage()), ex);
		}
	}

}
