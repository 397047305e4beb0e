package jobs.resttokafka;

import java.util.List;

import jobs.contract.Contract;
import jobs.contract.resources.KeyFields;
import jobs.contract.resources.Resource;
import jobs.contract.resources.Resources;

/**
 * The jobs alone, with a topic {@code t}.
 */
public final class TestResources {

	private TestResources() {
	}

	/**
	 * The resource of jobs of up to so many bytes.
	 */
	public static Resource jobs(int maxSize) {
		return new Resource("jobs", List.of(Contract.load()), "", KeyFields.NONE, List.of(), List.of(), maxSize, "t",
				"t-dlt", "jobs", "deadLetters", "g");
	}

	/**
	 * A resource of this name, with a topic of the same.
	 */
	public static Resource named(String name) {
		return new Resource(name, List.of(Contract.load()), "", KeyFields.NONE, List.of(), List.of(), 1 << 18, name,
				name + "-dlt", name, name + ".deadLetters", name);
	}

	/**
	 * All resources, which is that of jobs of up to so many bytes.
	 */
	public static Resources of(int maxSize) {
		return new Resources(List.of(jobs(maxSize)), false);
	}

}
