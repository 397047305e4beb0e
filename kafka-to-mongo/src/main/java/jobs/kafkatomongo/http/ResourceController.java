package jobs.kafkatomongo.http;

/** A controller of one resource; its mappings are relative to the resource's path. */
public interface ResourceController {

	/** The path before those of its mappings. */
	String path();

}
