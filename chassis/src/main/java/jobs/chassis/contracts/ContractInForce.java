package jobs.chassis.contracts;

import java.util.List;

/**
 * The contract of a resource as this service applies it.
 *
 * @param resource the name of the resource
 * @param sha256 a digest, in hex, of all that both services are told of what they accept
 * @param maxSize the most bytes of a document, in this service
 * @param path the path of its documents
 * @param topic the topic that has them
 * @param schemas the digests of the schemas, in hex; a new document must keep the last
 * @param schema the text of the last
 * @param warnings what in the schemas refuses nothing here, in sentences
 */
public record ContractInForce(String resource, String sha256, int maxSize, String path, String topic,
		List<String> schemas, String schema, List<String> warnings) {

	/** The contracts of all resources of a service. */
	public record All(List<ContractInForce> contracts) {

	}

}
