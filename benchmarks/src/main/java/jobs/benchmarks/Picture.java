package jobs.benchmarks;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

import jobs.benchmarks.Results.Figures;
import jobs.benchmarks.Results.Work;

/**
 * The results by which somebody decides as bars, each work with a scale of its own; a
 * line spans the rounds. Where none of them was measured, all that was.
 *
 * @param results what was measured
 */
record Picture(Results results) {

	private static final Pattern DECISIVE = Pattern.compile("POST, 64 connections|NDJSON upload .*"
			+ "|Topic to black hole, .*|Topic to mongod, .*|Memory under .*|Start to ready, .*");

	private static final int LEFT = 280;

	private static final int BAR = 420;

	private static final int WIDTH = 880;

	private static final int STEP = 22;

	String svg() {
		StringBuilder svg = new StringBuilder();
		int y = 10;
		for (Work work : works()) {
			y += STEP;
			text(svg, 16, y, "bold", work.name() + ", " + work.unit());
			y += 8;
			double most = work.figures().stream().mapToDouble(Figures::most).filter(Double::isFinite).max().orElse(1);
			for (Figures figures : work.figures()) {
				y += STEP;
				bar(svg, y, work, figures, BAR / most);
			}
			y += 8;
		}
		return """
				<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" font-family="sans-serif" font-size="13">
				<rect width="%1$d" height="%2$d" fill="#fff"/>
				%3$s</svg>
				""".formatted(WIDTH, y + STEP, svg);
	}

	private List<Work> works() {
		List<Work> all = this.results.works();
		List<Work> decisive = all.stream().filter((work) -> DECISIVE.matcher(work.name()).matches()).toList();
		return decisive.isEmpty() ? all : decisive;
	}

	private static void bar(StringBuilder svg, int y, Work work, Figures figures, double scale) {
		text(svg, 16, y, "normal", figures.who());
		svg.append(line("<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"16\" fill=\"%s\"/>", LEFT, y - 13,
				figures.median() * scale, color(work, figures.who())));
		svg.append(line("<path d=\"M%.1f %dH%.1f\" stroke=\"#222\"/>", LEFT + figures.least() * scale, y - 5,
				LEFT + figures.most() * scale));
		text(svg, LEFT + (int) (figures.most() * scale) + 8, y, "normal", Report.number(figures.median()));
	}

	private static String color(Work work, String who) {
		if (who.equals(work.floor())) {
			return "#b8bcc4";
		}
		return (who.startsWith("connector") || who.equals(Contestants.BRIDGE)) ? "#e0a458" : "#3b7dd8";
	}

	private static void text(StringBuilder svg, int x, int y, String weight, String text) {
		svg.append(line("<text x=\"%d\" y=\"%d\" font-weight=\"%s\" fill=\"#222\">%s</text>", x, y, weight,
				text.replace("&", "&amp;").replace("<", "&lt;")));
	}

	private static String line(String format, Object... values) {
		return String.format(Locale.ROOT, format, values) + "\n";
	}

}
