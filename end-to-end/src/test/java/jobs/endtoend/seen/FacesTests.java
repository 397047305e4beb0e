package jobs.endtoend.seen;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What faults declare is what the manual says and what the alerts can do.
 */
class FacesTests {

	private static final Path MANUAL = Path.of("../docs/watch.md");

	private static final Path ALERTS = Path.of("../observability/alerts.yml");

	@Test
	void standInTheManual() throws IOException {
		List<String> manual = Files.readAllLines(MANUAL);

		assertThat(manual).containsSubsequence(Faces.all().stream().map(Face::row).toList());
	}

	@Test
	void sayWhyNothingNeedBeSeen() {
		assertThat(Faces.all()).allSatisfy(
				(face) -> assertThat(face.musts().isEmpty()).as(face.fault()).isEqualTo(!face.unseen().isEmpty()));
	}

	@Test
	void knowEveryAlertAndNoOther() throws IOException {
		assertThat(Arrays.stream(Sign.values())
			.map(Sign::alert)
			.filter(Objects::nonNull)
			.map(Sign.Alert::name)
			.collect(Collectors.toSet())).isEqualTo(alerts());
	}

	@Test
	void haveAnAlertThatTheManualExplainsAndThatIsTested() throws IOException {
		String manual = Files.readString(MANUAL);
		String rules = Files.readString(ALERTS);
		String tests = Files.readString(Path.of("../observability/alerts.test.yml"));

		assertThat(alerts()).isNotEmpty().allSatisfy((alert) -> {
			assertThat(manual).contains("| `%s` |".formatted(alert)).contains("\n**%s**".formatted(alert));
			String anchor = alert.toLowerCase(Locale.ROOT);
			assertThat(rules).contains("runbook_url: docs/watch.md#%s\n".formatted(anchor));
			assertThat(manual).contains("<a id=\"%s\"></a>\n**%s**".formatted(anchor, alert));
			assertThat(tests).contains("alertname: %s\n".formatted(alert)).contains("alertname: %s}".formatted(alert));
		});
	}

	private static Set<String> alerts() throws IOException {
		return Pattern.compile("- alert: (\\w+)")
			.matcher(Files.readString(ALERTS))
			.results()
			.map((alert) -> alert.group(1))
			.collect(Collectors.toSet());
	}

}
