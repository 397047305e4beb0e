package jobs.resttokafka.intake;

import java.io.IOException;

import jobs.contract.NotAJobException;
import jobs.contract.resources.Resource;
import jobs.resttokafka.RefusedException;
import jobs.resttokafka.publish.Origin;
import jobs.resttokafka.publish.Publisher;

import org.springframework.stereotype.Component;

/** Hands documents that keep the contract to Kafka. */
@Component
public class JobIntake {

	private final Publisher publisher;

	private final LargeChecks largeChecks;

	JobIntake(Publisher publisher, LargeChecks largeChecks) {
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
	public void accept(Resource resource, String id, HeldJob job, Origin origin, Answer answer) throws IOException {
		Publisher.Publication publication = publish(resource, id, job, origin);
		try {
			publication.await();
			answer.write(job.bytes());
		}
		finally {
			// after a time-out the producer still holds the bytes
			publication.whenDone(job::close);
		}
	}

	/**
	 * Checks a document and hands it to Kafka, without a wait for Kafka; throws as
	 * {@link #accept} does. In each case this closes the document, once the producer is
	 * done with its bytes.
	 */
	Publisher.Publication submit(Resource resource, String id, HeldJob job, Origin origin) {
		Publisher.Publication publication = publish(resource, id, job, origin);
		publication.whenDone(job::close);
		return publication;
	}

	private Publisher.Publication publish(Resource resource, String id, HeldJob job, Origin origin) {
		boolean published = false;
		try {
			check(resource, job.bytes());
			Publisher.Publication publication = this.publisher.publish(resource, id, job.bytes(), origin);
			published = true;
			return publication;
		}
		catch (NotAJobException ex) {
			throw new RefusedException(ex);
		}
		finally {
			if (!published) {
				job.close();
			}
		}
	}

	private void check(Resource resource, byte[] job) throws NotAJobException {
		if (job.length <= JobMemory.SMALL_JOB_BYTES) {
			resource.contract().check(job);
			return;
		}
		try (LargeChecks.Place _ = this.largeChecks.take(resource)) {
			resource.contract().check(job);
		}
	}

	/** Writes the answer to a document that Kafka has. */
	@FunctionalInterface
	public interface Answer {

		/**
		 * Writes it, given the document as posted; throws IOException without the client.
		 */
		void write(byte[] job) throws IOException;

	}

}
