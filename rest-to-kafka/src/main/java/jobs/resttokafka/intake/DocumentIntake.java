package jobs.resttokafka.intake;

import java.io.IOException;

import jobs.contract.RefusedDocumentException;
import jobs.contract.resources.Resource;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.publish.Origin;
import jobs.resttokafka.publish.Publisher;

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
	 */
	public void accept(Resource resource, String id, HeldDocument document, Origin origin, Answer answer)
			throws IOException {
		Publisher.Publication publication = publish(resource, id, document, origin);
		try {
			publication.await();
			answer.write(document.bytes());
		}
		finally {
			// after a time-out the producer still holds the bytes
			publication.whenDone(document::close);
		}
	}

	/**
	 * Checks a document and hands it to Kafka, without a wait for Kafka; throws as
	 * {@link #accept} does. In each case this closes the document, once the producer is
	 * done with its bytes.
	 */
	Publisher.Publication submit(Resource resource, String id, HeldDocument document, Origin origin) {
		Publisher.Publication publication = publish(resource, id, document, origin);
		publication.whenDone(document::close);
		return publication;
	}

	private Publisher.Publication publish(Resource resource, String id, HeldDocument document, Origin origin) {
		boolean published = false;
		try {
			check(resource, document.bytes());
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

	private void check(Resource resource, byte[] document) throws RefusedDocumentException {
		if (document.length <= DocumentMemory.SMALL_DOCUMENT_BYTES) {
			resource.contract().check(document);
			return;
		}
		try (LargeChecks.Place _ = this.largeChecks.take(resource, document.length)) {
			resource.contract().check(document);
		}
	}

	/** Writes the answer to a document that Kafka has. */
	@FunctionalInterface
	public interface Answer {

		/**
		 * Writes it, given the document as posted; throws IOException without the client.
		 */
		void write(byte[] document) throws IOException;

	}

}
