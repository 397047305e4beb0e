package jobs.kafkatomongo.console;

import java.util.concurrent.TimeUnit;

import io.micrometer.core.instrument.distribution.CountAtBucket;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import org.jspecify.annotations.Nullable;

/**
 * How long the jobs took that a timer counted between two looks. The timer counts in
 * buckets, so a percentile is as exact as its bucket is narrow.
 *
 * @param bounds the upper ends of the buckets, in milliseconds
 * @param counts how many jobs took no longer than each of these, since the service runs
 * @param all how many jobs there were, since the service runs
 */
record Latencies(double[] bounds, double[] counts, double all) {

	static final Latencies NONE = new Latencies(new double[0], new double[0], 0);

	static Latencies of(HistogramSnapshot timer) {
		CountAtBucket[] buckets = timer.histogramCounts();
		double[] bounds = new double[buckets.length];
		double[] counts = new double[buckets.length];
		for (int i = 0; i < buckets.length; i++) {
			bounds[i] = buckets[i].bucket(TimeUnit.MILLISECONDS);
			counts[i] = buckets[i].count();
		}
		return new Latencies(bounds, counts, timer.count());
	}

	/**
	 * The milliseconds within which this share of the jobs since another look was stored,
	 * estimated within a bucket; {@code null} where there were none. Of jobs beyond the
	 * last bucket only its bound is known.
	 */
	@Nullable Double percentile(double share, Latencies before) {
		double wanted = share * (this.all - before.all);
		if (wanted <= 0 || this.bounds.length == 0) {
			return null;
		}
		double below = 0;
		double from = 0;
		for (int i = 0; i < this.bounds.length && Double.isFinite(this.bounds[i]); i++) {
			double within = this.counts[i] - ((i < before.counts.length) ? before.counts[i] : 0);
			if (within >= wanted) {
				return from + (this.bounds[i] - from) * (wanted - below) / (within - below);
			}
			below = within;
			from = this.bounds[i];
		}
		return from;
	}

}
