package jobs.endtoend.seen;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import jobs.endtoend.seen.Attribution.Verdict;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The judge of what is seen finds a fault that nobody showed, a false alarm, and a sign
 * that stays. Times are seconds.
 */
class AttributionTests {

	private static final Face AWAY = Face.of("away", "", "")
		.must(10, "sink", Sign.NOT_READY)
		.must(15, "sink", Sign.JOBS_MONGO_DOWN)
		.may("sink", Sign.JOBS_WAIT_TOO_LONG)
		.backAfter(30);

	private static final Face SILENCE = Face.of("silence", "", "").must(5, "sink-0", Sign.SILENT);

	private static final Face REFUSES = Face.of("refuses", "", "")
		.mustUnless(Set.of("load"), 10, "door", Sign.JOBS_REFUSED);

	private final List<Episode> episodes = new ArrayList<>();

	private final List<Sighting> sightings = new ArrayList<>();

	private boolean alertsSeen = true;

	@Test
	void isContentWhereNothingHappens() {
		assertThat(judge()).hasToString("0 faults seen, 0 unseen, 0 false alarms");
	}

	@Test
	void countsAFaultThatEveryServiceShows() {
		fault(AWAY, 100, 130);
		see(Sign.NOT_READY, "sink-0", 105, 132);
		see(Sign.NOT_READY, "sink-1", 107, 131);
		see(Sign.JOBS_MONGO_DOWN, "sink-0", 112, 140);
		see(Sign.JOBS_MONGO_DOWN, "sink-1", 112, 140);
		see(Sign.JOBS_WAIT_TOO_LONG, "", 120, 150);

		assertThat(judge()).hasToString("1 faults seen, 0 unseen, 0 false alarms");
	}

	@Test
	void findsAFaultThatNobodyShowed() {
		fault(AWAY, 100, 130);

		Verdict verdict = judge();

		assertThat(verdict).hasToString("0 faults seen, 1 unseen, 0 false alarms");
		assertThat(verdict.testimony()).hasSize(4)
			.allMatch((line) -> line.startsWith("unseen: away, "))
			.anyMatch((line) -> line.contains("readiness `DOWN` of sink within 10 s (sink-0)"));
	}

	@Test
	void findsASignThatOneServiceDoesNotShow() {
		fault(AWAY, 100, 112);
		see(Sign.NOT_READY, "sink-0", 105, 112);

		assertThat(judge().testimony()).singleElement().asString().contains("(sink-1)");
	}

	@Test
	void findsASignThatComesTooLate() {
		fault(AWAY, 100, 125);
		see(Sign.NOT_READY, "sink-0", 105, 125);
		see(Sign.NOT_READY, "sink-1", 114, 125);
		see(Sign.JOBS_MONGO_DOWN, "sink-0", 110, 125);
		see(Sign.JOBS_MONGO_DOWN, "sink-1", 119, 125);

		assertThat(judge().testimony()).hasSize(2).allMatch((line) -> line.contains("(sink-1)"));
	}

	@Test
	void asksNothingOfAFaultThatEndsBeforeItCanBeSeen() {
		fault(AWAY, 100, 109);

		Verdict verdict = judge();

		assertThat(verdict).hasToString("0 faults seen, 0 unseen, 0 false alarms");
		assertThat(verdict.free()).isEqualTo(1);
	}

	@Test
	void asksNothingOfAServiceThatIsSilent() {
		fault(AWAY, 100, 112);
		fault(SILENCE, 102, 112);
		see(Sign.SILENT, "sink-0", 103, 113);
		see(Sign.NOT_READY, "sink-1", 105, 112);

		assertThat(judge()).hasToString("2 faults seen, 0 unseen, 0 false alarms");
	}

	@Test
	void asksNothingWhereAnotherFaultHidesIt() {
		fault(REFUSES, 100, 130);
		this.episodes.add(new Episode("no load", Face.of("", "", ""), Set.of("load"), 105_000, 105_000, 200_000));

		assertThat(judge()).hasToString("0 faults seen, 0 unseen, 0 false alarms");
	}

	@Test
	void blamesTheMachineWhereItHadNoTime() {
		Pulse pulse = new Pulse();
		pulse.beat(new Span(0, 500));
		pulse.beat(new Span(105_000, 108_000));
		for (Span pause : pulse.pauses()) {
			this.episodes.add(new Episode("no time", Faces.NO_TIME, Set.of(Face.MACHINE), pause.from(), pause.from(),
					pause.to()));
		}
		fault(AWAY, 100, 115);
		see(Sign.JOBS_REFUSED, "", 110, 112);
		see(Sign.JOBS_REFUSED, "", 50, 52);

		assertThat(judge()).hasToString("0 faults seen, 0 unseen, 1 false alarms");
	}

	@Test
	void findsASignOfThePairAsAWholeThatIsMissing() {
		fault(REFUSES, 100, 130);

		assertThat(judge()).hasToString("0 faults seen, 1 unseen, 0 false alarms");
	}

	@Test
	void findsAFalseAlarm() {
		see(Sign.JOBS_REFUSED, "", 50, 52);

		Verdict verdict = judge();

		assertThat(verdict).hasToString("0 faults seen, 0 unseen, 1 false alarms");
		assertThat(verdict.testimony()).singleElement()
			.asString()
			.startsWith("false alarm at " + Span.time(50_000) + ": `JobsRefused`");
	}

	@Test
	void findsTheAlarmOfAnotherFault() {
		fault(AWAY, 100, 105);
		see(Sign.JOBS_REFUSED, "", 102, 104);

		assertThat(judge().falseAlarms()).isEqualTo(1);
	}

	@Test
	void findsTheAlarmOfAnotherService() {
		fault(SILENCE, 100, 110);
		see(Sign.SILENT, "sink-0", 102, 110);
		see(Sign.SILENT, "sink-1", 102, 110);

		assertThat(judge()).hasToString("1 faults seen, 0 unseen, 1 false alarms");
	}

	@Test
	void findsAnAlarmBeforeItsFault() {
		fault(AWAY, 100, 105);
		see(Sign.NOT_READY, "sink-0", 90, 105);

		assertThat(judge().falseAlarms()).isEqualTo(1);
	}

	@Test
	void findsALateRecovery() {
		fault(AWAY, 100, 105);
		see(Sign.NOT_READY, "sink-0", 104, 134);
		see(Sign.NOT_READY, "sink-1", 104, 150);

		Verdict verdict = judge();

		assertThat(verdict.falseAlarms()).isEqualTo(1);
		assertThat(verdict.testimony()).singleElement()
			.asString()
			.startsWith("still there 45 s after 'away' was healed: readiness `DOWN` of sink-1");
	}

	@Test
	void letsJobsWaitWhileABacklogIsWorkedOff() {
		fault(AWAY, 100, 105);
		fault(Faces.BACKLOG, 110, 700);
		see(Sign.JOBS_WAIT_TOO_LONG, "", 115, 705);

		assertThat(judge().falseAlarms()).isZero();
	}

	@Test
	void findsAnAlarmOfABacklogThatIsWorkedOff() {
		fault(AWAY, 100, 105);
		fault(Faces.BACKLOG, 110, 700);
		see(Sign.JOBS_WAIT_TOO_LONG, "", 115, 760);

		assertThat(judge().testimony()).singleElement()
			.asString()
			.startsWith("still there 60 s after 'A backlog is worked off' was healed: `JobsWaitTooLong`");
	}

	@Test
	void letsOneFaultTakeOverTheSignOfAnother() {
		fault(AWAY, 100, 105);
		fault(AWAY, 130, 135);
		see(Sign.NOT_READY, "sink-0", 104, 160);

		assertThat(judge().falseAlarms()).isZero();
	}

	@Test
	void saysWhereNobodyLookedAtTheAlerts() {
		this.alertsSeen = false;
		fault(AWAY, 100, 130);
		see(Sign.NOT_READY, "sink-0", 105, 132);
		see(Sign.NOT_READY, "sink-1", 107, 131);

		assertThat(judge())
			.hasToString("1 faults seen, 0 unseen, 0 false alarms (alerts not judged: no prometheus on the PATH)");
	}

	private void fault(Face face, int from, int to) {
		this.episodes.add(new Episode(face.fault(), face, Set.of(), from * 1000, from * 1000, to * 1000));
	}

	private void see(Sign sign, String where, int from, int to) {
		this.sightings.add(new Sighting(sign, where, new Span(from * 1000, to * 1000), ""));
	}

	private Verdict judge() {
		return Attribution.judge(this.episodes, this.sightings, Set.of("door-0", "sink-0", "sink-1"), this.alertsSeen);
	}

}
