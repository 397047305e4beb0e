package jobs.chassis.access;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * Reads a file of keys within bounds, whatever it is: a device has no end, and a pipe or
 * the file of a server that is away lets its reader wait.
 */
final class KeyFile {

	/** Bytes of the file; beyond: it can't be read. */
	private static final int MAX_SIZE = 4 * 1024 * 1024;

	/** The longest time for one look at the file. */
	private static final Duration LOOK_TIME = Duration.ofSeconds(5);

	private final Path file;

	/** How the file was when it was read last; {@code null} to read it again. */
	private @Nullable State state;

	/** A look that has taken too long, and may go on. */
	private @Nullable CompletableFuture<?> hanging;

	KeyFile(Path file) {
		this.file = file;
	}

	/**
	 * The lines of the file, or {@code null} where it is as it was when they were read
	 * last. Throws IOException where it can't be read, and IllegalArgumentException where
	 * it is no file of text.
	 */
	@Nullable List<String> readIfChanged() throws IOException {
		if (this.hanging != null && !this.hanging.isDone()) {
			throw new IOException("it did not answer within %d s".formatted(LOOK_TIME.toSeconds()));
		}
		CompletableFuture<Look> look = CompletableFuture.supplyAsync(() -> look(this.state),
				(task) -> Thread.ofPlatform().daemon().name("read-keys").start(task));
		try {
			Look seen = look.get(LOOK_TIME.toMillis(), TimeUnit.MILLISECONDS);
			this.state = seen.state();
			return seen.lines();
		}
		catch (TimeoutException ex) {
			this.hanging = look;
			throw new IOException("it did not answer within %d s".formatted(LOOK_TIME.toSeconds()), ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof IllegalArgumentException malformed) {
				throw malformed;
			}
			throw (ex.getCause() instanceof IOException own) ? own : new IOException(ex.getCause());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IOException(ex);
		}
	}

	/** Has the file read again at the next look, since it could not be used. */
	void forget() {
		this.state = null;
	}

	/**
	 * Whether others than the owner and the group could change the file when it was read.
	 */
	boolean mayBeChangedByOthers() {
		return this.state != null && this.state.isOpen();
	}

	private Look look(@Nullable State before) {
		try {
			State now = State.of(this.file);
			if (now.equals(before)) {
				return new Look(now, null);
			}
			String text = read(now.path());
			if (!State.of(this.file).equals(now)) {
				throw new IOException("it is being written");
			}
			return new Look(now, text.lines().toList());
		}
		catch (IOException ex) {
			throw new CompletionException(ex);
		}
	}

	private static String read(Path path) throws IOException {
		if (!Files.isRegularFile(path)) {
			throw new IllegalArgumentException("it is no regular file");
		}
		try (InputStream file = Files.newInputStream(path)) {
			byte[] bytes = file.readNBytes(MAX_SIZE + 1);
			if (bytes.length > MAX_SIZE) {
				throw new IllegalArgumentException("it has more than %d bytes".formatted(MAX_SIZE));
			}
			String text = utf8(bytes);
			if (text.startsWith("\uFEFF")) {
				throw new IllegalArgumentException("it begins with a byte order mark; save it as UTF-8 without one");
			}
			return text;
		}
	}

	private static String utf8(byte[] bytes) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
		}
		catch (CharacterCodingException ex) {
			throw new IllegalArgumentException("it is not UTF-8", ex);
		}
	}

	/** What a look has found; no lines where nothing has changed. */
	private record Look(State state, @Nullable List<String> lines) {

	}

	/** By what a change is noticed, also one of a symbolic link. */
	private record State(Path path, @Nullable Object fileKey, Instant modified, long size, boolean isOpen) {

		private static boolean isOpen(Path path) throws IOException {
			try {
				return Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_WRITE);
			}
			catch (UnsupportedOperationException ex) {
				return false;
			}
		}

		static State of(Path file) throws IOException {
			Path path = file.toRealPath();
			BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
			return new State(path, attributes.fileKey(), attributes.lastModifiedTime().toInstant(), attributes.size(),
					isOpen(path));
		}

	}

}
