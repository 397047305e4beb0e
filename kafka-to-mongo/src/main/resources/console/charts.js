'use strict';
// The charts of the last minutes. The service keeps the samples; uPlot draws them.

const WINDOW = 15 * 60_000;
const BUCKET = 30_000; // of the bars
const REASONS = ['contract', 'not-json', 'conflict', 'mongodb', 'internal', 'other'];

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

let samples = []; // [at, accepted/s, done/s, waiting, p50, p99, { reason: dead letters }]
let bars = []; // [at, [dead letters of each reason]]
let end = 0; // the right end of all charts

const rounded = (value) => number.format(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
const per = (value) => `${rounded(value)}/s`;

const charts = [
  lines('rates', [{ name: 'accepted', column: 1, color: '--in', dash: [6, 3] }, { name: 'done', column: 2, color: '--out' }],
    { least: 10, tick: (value) => `${compact.format(value)}/s`, words: per }),
  lines('latencies', [{ name: 'p50', column: 4, color: '--out' }, { name: 'p99', column: 5, color: '--in', dash: [6, 3] }],
    { log: true, tick: (value) => duration(value).replace('.0', ''), words: duration }),
  lines('lag', [{ name: 'waiting', column: 3, color: '--in', fill: '--in-soft' }],
    { least: 10, tick: (value) => compact.format(value), words: rounded }),
  stack('reasons'),
];

function plot(id, series, scale, tick, say, data) {
  const place = document.getElementById(id);
  const axis = { stroke: () => css('--soft'), font: '12px system-ui, sans-serif', grid: { stroke: () => css('--grid'), width: 1 }, ticks: { show: false } };
  const size = () => ({ width: Math.max(200, place.clientWidth), height: place.clientHeight });
  const drawn = new uPlot({
    ...size(),
    ms: 1,
    padding: [10, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: 'time', setSeries: false } },
    scales: { x: { range: () => [end - WINDOW, end] }, y: scale },
    axes: [
      { ...axis, size: 28, space: 70, incrs: [60_000, 180_000, 300_000], values: (_, times) => times.map((at) => (end ? hours.format(at) : '')) },
      { ...axis, size: 62, space: 30, splits: scale.splits, values: (_, values) => values.map((value) => (value === null ? '' : tick(value))) },
    ],
    series: [{}, ...series],
    hooks: { setCursor: [(chart) => say(chart.cursor.idx)] },
  }, data(), place);
  new ResizeObserver(() => drawn.setSize(size())).observe(place);
  walk(place, drawn);
  return { id, drawn, update: () => { drawn.setData(data()); say(drawn.cursor.idx); } };
}

// the arrow keys do what the pointer does
function walk(place, drawn) {
  const leave = () => drawn.setCursor({ left: -10, top: -10 });
  place.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const times = drawn.data[0];
    if (event.key === 'Escape') leave();
    if (!step || !times.length) return;
    event.preventDefault();
    const index = Math.min(times.length - 1, Math.max(0, (drawn.cursor.idx ?? times.length) + step));
    drawn.setCursor({ left: drawn.valToPos(times[index], 'x'), top: 0 });
  });
  place.addEventListener('blur', leave);
}

// what a chart shows, as text: the newest values, or those under the cursor
function keys(id, at, values) {
  const items = values.map(([name, value, color, dash]) => {
    const item = document.createElement('span');
    const key = item.appendChild(document.createElement('i'));
    key.style.borderColor = `var(${color})`;
    if (dash) key.style.borderTopStyle = 'dashed';
    item.append(`${name} `);
    item.appendChild(document.createElement('b')).textContent = value;
    return item;
  });
  const when = document.createElement('span');
  when.textContent = at;
  document.getElementById(`${id}-keys`).replaceChildren(when, ...items);
}

function lines(id, series, { least, log, tick, words }) {
  const data = () => [0, ...series.map((one) => one.column)].map((column) => samples.map((sample) => sample[column]));
  const say = (index) => {
    const sample = samples[index ?? samples.length - 1];
    keys(id, index === null || index === undefined ? 'now' : `at ${seconds.format(sample[0])}`,
      series.map((one) => [one.name, sample && sample[one.column] !== null ? words(sample[one.column]) : '–', one.color, one.dash]));
  };
  const scale = log
    ? { distr: 3, splits: decades, range: (_, min, max) => [Math.min(10 ** Math.floor(Math.log10(Math.max(1, min ?? 10))), 10), Math.max(1000, 10 ** Math.ceil(Math.log10(max ?? 1)))] }
    : { range: (_, min, max) => [0, uPlot.rangeNum(0, Math.max(least, max ?? 0), 0.1, true)[1]] };
  return plot(id, series.map((one) => ({
    label: one.name, stroke: () => css(one.color), width: 2, dash: one.dash, fill: one.fill && (() => css(one.fill)),
    points: { show: false, filter: alone, size: 5, fill: () => css(one.color) },
  })), scale, tick, say, data);
}

// the lines of a logarithmic axis
function decades(chart, axis, min, max) {
  return Array.from({ length: Math.round(Math.log10(max / min)) + 1 }, (_, i) => min * 10 ** i);
}

// a value between two that are not known has no line: it gets a point
function alone(chart, index) {
  const values = chart.data[index];
  return [...values.keys()].filter((i) => values[i] !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null);
}

function stack(id) {
  // the sum is drawn first, and what is below it over it
  const data = () => [bars.map(([at]) => at), ...REASONS.map((_, reason) =>
    bars.map(([, counts]) => counts.slice(0, reason + 1).reduce((sum, one) => sum + one, 0) || null)).toReversed()];
  const say = (index) => {
    const bar = bars[index];
    const counts = bar ? bar[1] : REASONS.map((_, reason) => bars.reduce((sum, one) => sum + one[1][reason], 0));
    const named = REASONS.map((name, reason) => [name, number.format(counts[reason]), `--reason-${reason}`]).filter((_, reason) => counts[reason] > 0);
    keys(id, `${bar ? `at ${hours.format(bar[0])}` : 'in 15 minutes'}${named.length ? '' : ': none'}`, named);
  };
  const scale = { range: (_, min, max) => [0, Math.max(4, Math.ceil((max ?? 0) * 1.1))] };
  const paths = uPlot.paths.bars({ size: [0.7, 20], align: 1 });
  return plot(id, REASONS.map((_, reason) => ({ label: REASONS[reason], paths, width: 0, fill: () => css(`--reason-${reason}`), points: { show: false } })).toReversed(),
    scale, (value) => (Number.isInteger(value) ? compact.format(value) : ''), say, data);
}

function toBars() {
  const first = Math.ceil((end - WINDOW) / BUCKET);
  bars = Array.from({ length: Math.floor(end / BUCKET) - first + 1 }, (_, i) => [(first + i) * BUCKET, REASONS.map(() => 0)]);
  for (const sample of samples) {
    const counts = bars[Math.floor(sample[0] / BUCKET) - first]?.[1];
    for (const [name, more] of Object.entries(sample[6])) {
      const reason = REASONS.indexOf(name);
      if (counts) counts[reason < 0 ? REASONS.length - 1 : reason] += more;
    }
  }
}

// the first event of a connection has all samples, each further one those since
function remember(state) {
  if (state.history) samples = [];
  samples.push(...state.samples);
  if (!state.samples.length && !state.history) return;
  end = state.now;
  samples = samples.filter(([at]) => at >= end - WINDOW);
  toBars();
  for (const chart of charts) chart.update();
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => charts.forEach((chart) => chart.drawn.redraw()));
