package jobs.resttokafka.intake;

import java.io.IOException;
import java.util.Objects;

import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.KeyReader;
import jobs.contract.resources.Resource;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.RefusedException.Reason;
import jobs.resttokafka.publish.Origin;
import jobs.resttokafka.publish.Publisher;
import org.jspecify.annotations.Nullable;

import org.springframework.stereotype.Component;

/** Hands documents that keep the contract to Kafka. */
@Component
public class DocumentIntake {

	private final Publisher publisher;

	private final LargeChecks largeChecks;

	DocumentIntake(Publisher publisher, LargeChecks largeChecks) {
		this.publisher = publisher;
		this.largeChecks = largeChecks;
	}

	/**
	 * Checks a document, hands it to Kafka, and answers once Kafka has it. Throws
	 * RefusedException where it is no document, or is large and has waited for
	 * {@code publish-timeout} to be checked, or where Kafka does not take it. Throws
	 * IOException when the client is gone. In each case this closes the document, once it
	 * is answered and the producer is done with its bytes.
	 * @param given the id or, where documents bring their own, an id that it must be
	 */
	public void accept(Resource resource, @Nullable String given, HeldDocument document, Origin origin, Answer answer)
			throws IOException {
		Publisher.Publication publication = publish(resource, given, document, origin);
		try {
			publication.await();
			answer.write(publication.id(), document.bytes());
		}
		finally {
			// after a time-out the producer still holds the bytes
			publication.whenDone(document::close);
		}
	}

	/**
	 * Hands the deletion of a document to Kafka, and returns once Kafka has it. Throws
	 * RefusedException where Kafka does not take it.
	 */
	public void delete(Resource resource, String id, long version, Origin origin) {
		this.publisher.publishDeletion(resource, id, version, origin).await();
	}

	/**
	 * Checks a document and hands it to Kafka, without a wait for Kafka; throws as
	 * {@link #accept} does. In each case this closes the document, once the producer is
	 * done with its bytes.
	 */
	Publisher.Publication submit(Resource resource, @Nullable String given, HeldDocument document, Origin origin) {
		Publisher.Publication publication = publish(resource, given, document, origin);
		publication.whenDone(document::close);
		return publication;
	}

	private Publisher.Publication publish(Resource resource, @Nullable String given, HeldDocument document,
			Origin origin) {
		boolean published = false;
		try {
			String id = check(resource, given, document.bytes());
			Publisher.Publication publication = this.publisher.publish(resource, id, document.bytes(), origin);
			published = true;
			return publication;
		}
		catch (RefusedDocumentException ex) {
			throw new RefusedException(ex);
		}
		finally {
			if (!published) {
				document.close();
			}
		}
	}

	private String check(Resource resource, @Nullable String given, byte[] document) throws RefusedDocumentException {
		if (document.length <= DocumentMemory.SMALL_DOCUMENT_BYTES) {
			return id(resource, given, document);
		}
		try (LargeChecks.Place _ = this.largeChecks.take(resource, document.length)) {
			return id(resource, given, document);
		}
	}

	/** Checks a document, and returns its id. */
	private static String id(Resource resource, @Nullable String given, byte[] document)
			throws RefusedDocumentException {
		if (!resource.keys().areAny()) {
			resource.contract().check(document);
			return Objects.requireNonNull(given);
		}
		KeyReader keys = resource.keys().reader();
		resource.contract().read(document, keys);
		keys.requireAll();
		String own = keys.id();
		if (own != null && given != null && !given.equals(own)) {
			throw new RefusedException(Reason.OTHER_KEY,
					"The id of this document is its %s; leave the Idempotency-Key away, or make it that id"
						.formatted(resource.keys().id()));
		}
		return Objects.requireNonNull((own != null) ? own : given);
	}

	/** Writes the answer to a document that Kafka has. */
	@FunctionalInterface
	public interface Answer {

		/**
		 * Writes it, given the id and the document as posted; throws IOException without
		 * the client.
		 */
		void write(String id, byte[] document) throws IOException;

	}

}
