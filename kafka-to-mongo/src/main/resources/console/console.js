'use strict';
// What comes from jobs is put on the page as text only, never as HTML.

// Milliseconds between two looks at a list: at least, and at most when the database is slow.
const LIST_REFRESH_MIN = 5000;
const LIST_REFRESH_MAX = 15_000;

const $ = (id) => document.getElementById(id);
// a date beyond those of browsers is shown as it came
const time = (text) => {
  const date = new Date(text ?? '');
  return Number.isNaN(date.valueOf()) ? String(text ?? '–') : date.toLocaleString('sv');
};
// a document that somebody has put beside the jobs has no such times
const waited = (meta) => (meta?.storedAt && meta.acceptedAt ? duration(new Date(meta.storedAt) - new Date(meta.acceptedAt)) : '–');

// --- who asks

let key = null; // in memory alone: it is gone with the page

async function askForKey() {
  $('key-form').hidden = false;
  document.querySelector('[href="actuator/prometheus"]').hidden = true; // a link can bring no key
  put('key-words', key ? 'Another API key or token:' : 'API key or token:');
  if (!$('login').hasAttribute('href')) {
    $('login').href = '#';
    const answer = await fetch('console/login');
    if (answer.ok) Object.assign($('login'), { href: (await answer.json()).login, hidden: false });
  }
}

const cookie = (name) => document.cookie.split('; ').find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);

// whoever has logged in has such a cookie, which pages of other sites can't read
function proof() {
  const token = cookie('XSRF-TOKEN');
  return { ...(key && { Authorization: `Bearer ${key}` }), ...(token && { 'X-XSRF-TOKEN': token }) };
}

async function send(path, options = {}) {
  const answer = await fetch(path, { ...options, headers: { ...options.headers, ...proof() } });
  $('logout').hidden = !cookie('XSRF-TOKEN') || answer.headers.has('WWW-Authenticate');
  if (answer.headers.has('WWW-Authenticate')) askForKey();
  return answer;
}

async function request(path, options) {
  const answer = await send(path, options);
  const raw = await answer.text();
  let body = {};
  try {
    body = raw ? JSON.parse(raw) : {};
  } catch {
    body = { detail: `no answer that can be read (${answer.status})` };
  }
  if (!answer.ok) {
    const errors = (body.errors ?? []).map((one) => `${one.pointer} ${one.detail}`);
    throw Object.assign(new Error([body.detail || body.title, ...errors].join('; ')), { body, status: answer.status });
  }
  return Object.defineProperty(body, 'raw', { value: raw.trim() });
}

// --- how the pair is

const SILENCE = 5000; // an event comes every second, and a connection that ended is made again after one
const UNCOUNTED = 20_000; // a count takes seconds at most
let last = null; // the last event, and when it came
let heard = performance.now();
let counted = heard; // when the dead letters were

const put = (id, text) => {
  if ($(id).textContent !== text) $(id).textContent = text;
};

function show(state) {
  last = state;
  heard = performance.now();
  if (state.deadLetters !== null) counted = heard;
  state.uncounted = heard - counted > UNCOUNTED;
  say(condition(state));
  remember(state);
  for (const [id, { level, words }] of Object.entries(parts(state))) {
    $(id).dataset.level = level;
    put(`${id}-state`, words);
  }
  const latest = samples.at(-1);
  const rate = (value) => (state.recent && latest && value !== null ? number.format(Math.round(value)) : '–');
  put('accepted', rate(latest?.[1]));
  put('stored', rate(latest?.[2]));
  put('published', known(state) ? `${number.format(state.published)} in all` : '–');
  put('waiting', known(state) ? number.format(state.waiting) : '–');
  put('done', known(state) ? number.format(state.published - state.waiting) : '–');
  put('oldest', [state.recent && state.oldest ? `the oldest for ${duration(age(state))}` : state.recent && state.waiting === 0 ? 'nothing waits' : '',
    state.retention > 0 ? `kept for ${duration(state.retention)}` : ''].filter(Boolean).join(', ') || '–');
  const median = samples.findLast((sample) => sample[4] !== null)?.[4] ?? null;
  put('latency', median === null ? 'no job was stored lately' : `half of the jobs within ${duration(median)}`);
  put('open', state.deadLetters === null ? '–' : state.deadLetters >= 1000 ? '1,000+' : number.format(state.deadLetters));
  put('letters-new', `${number.format(bars.flatMap(([, counts]) => counts).reduce((sum, one) => sum + one, 0))} new in 15 minutes`);
}

const SIGNS = { good: '✓', note: '!', bad: '✕', wait: '…' };

function say({ level, sentence, cause = '' }) {
  $('condition').dataset.level = level;
  put('sign', SIGNS[level]);
  put('status', sentence);
  put('cause', cause);
  $('cause').hidden = !cause;
}

function lost() {
  say({ level: 'bad', sentence: last ? `kafka-to-mongo has not answered since ${clock(last.now, last.now)}; what is shown is from then`
    : 'kafka-to-mongo does not answer; trying again' });
  for (const id of ['kafka', 'topic', 'listener', 'mongo', 'letters']) {
    $(id).dataset.level = 'wait';
    put(`${id}-state`, 'not known now');
  }
}

// a service that hangs keeps its connections
let refused = false;
setInterval(() => {
  if (performance.now() - heard > SILENCE && !refused) lost();
}, 1000);

// an EventSource can bring no key
async function read(events) {
  const reader = events.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.startsWith('data:')) show(JSON.parse(line.slice(5)));
  }
}

let again = null; // the time-out of the next watch
async function watch() {
  again = null;
  const ending = new AbortController();
  let pause = 1000;
  try {
    const answer = await send('console/events', { signal: ending.signal });
    refused = !answer.ok;
    if (refused) {
      pause = 3000;
      const problem = await answer.json().catch(() => ({}));
      say({ level: 'bad', sentence: 'kafka-to-mongo refuses to show its figures', cause: problem.detail ?? problem.title });
    } else {
      await read(answer.body);
    }
  } catch (failure) {
    // the service is gone, which lost() tells, or this page is wrong
    refused = false;
    console.warn(failure);
  }
  ending.abort();
  again = setTimeout(watch, pause);
}
watch();

$('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  key = $('key').value.trim();
  $('key').value = '';
  $('key-form').hidden = true;
  if (again !== null) {
    clearTimeout(again);
    say({ level: 'wait', sentence: 'asking with this key …' });
    watch();
  }
  showDead(deadPath());
  showJobs(jobsPath);
});

$('logout').addEventListener('click', async () => {
  await send('logout', { method: 'POST' });
  location.assign('./');
});
if (new URLSearchParams(location.search).get('login') === 'failed') $('login-failed').hidden = false;

// what was done, for a while
function done(text, bad) {
  $('said').classList.toggle('bad', bad);
  $('said').textContent = text;
  clearTimeout(done.timer);
  done.timer = setTimeout(() => { $('said').textContent = ''; }, 6000);
}

// --- lists

function row(cells, open) {
  const tr = document.createElement('tr');
  cells.forEach((text, index) => {
    const td = tr.appendChild(document.createElement('td'));
    let place = td;
    if (index === open.column) {
      place = td.appendChild(document.createElement('button'));
      place.addEventListener('click', open.action);
    }
    place.textContent = text;
  });
  if (cells.length === 1) tr.firstChild.colSpan = 5;
  return tr;
}

function list(name, toRow) {
  const more = $(`${name}-more`);
  let next = null;
  let asked = 0; // an answer is shown only if nothing else was asked for since
  let loading = 0;
  let shown = null;
  const load = async (path, add, isWanted = () => true) => {
    const own = ++asked;
    loading++;
    const rows = [];
    let page = {};
    try {
      page = await request(path);
      rows.push(...page[name === 'dead' ? 'deadLetters' : 'jobs'].map(toRow));
      if (!rows.length && !add) rows.push(row(['none'], {}));
    } catch (failure) {
      rows.push(row([failure.message], {}));
    }
    loading--;
    if (own !== asked || !isWanted()) return;
    const focused = $(name).contains(document.activeElement) ? document.activeElement.textContent : null;
    const same = !add && page.raw !== undefined && page.raw === shown;
    if (add) $(name).append(...rows);
    else if (!same) $(name).replaceChildren(...rows);
    shown = add ? null : page.raw;
    if (!same && focused !== null) [...$(name).querySelectorAll('button')].find((button) => button.textContent === focused)?.focus();
    next = page.next;
    more.hidden = !next;
  };
  more.addEventListener('click', () => load(next.slice(1), true));
  // what nobody has asked for does not take the place of what somebody did
  return (path, isWanted) => (isWanted && loading ? null : load(path, false, isWanted));
}

const short = (text, length) => (text.length > length ? `${text.slice(0, length)}…` : text);
const text = (value) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));

const showJobs = list('jobs', (job) => row(
  [time(job._meta.acceptedAt), waited(job._meta), short(text(job.title), 90), short(text(job.company), 60), job.id],
  { column: 4, action: () => openJob(job.id) }));

const showDead = list('dead', (one) => row([time(one.firstSeen), one.reason, (one.replayOf ? 'again: ' : '') + short(text(one.detail), 160), one.job, one.state],
  { column: 3, action: () => openDeadLetter(one.href) }));

let jobsPath = 'jobs'; // of the search that was asked for last

// what the form selects; its times are those of the browser's place
function selection() {
  const query = new URLSearchParams(new FormData($('dead-search')));
  for (const [name, value] of [...query]) {
    if (!value) query.delete(name);
    else if (name === 'from' || name === 'to') query.set(name, new Date(value).toISOString());
  }
  return query;
}

const deadPath = () => `dead-letters?${selection()}`;

$('dead-search').addEventListener('submit', (event) => {
  event.preventDefault();
  showDead(deadPath());
});

$('job-search').addEventListener('submit', (event) => {
  event.preventDefault();
  const { id, company } = Object.fromEntries(new FormData(event.target));
  if (id.trim()) openJob(id.trim());
  else showJobs(jobsPath = company ? `jobs?company=${encodeURIComponent(company)}` : 'jobs');
});

// --- one job, one dead letter

let current = null;
let asked = 0; // an answer is shown only if nothing else was asked for since

function open(own, title, path, body, deadLetter, stored = false) {
  if (own !== asked) return;
  current = deadLetter;
  $('detail-title').textContent = title;
  $('path').replaceChildren(...path.filter(Boolean).map((step) => {
    const li = document.createElement('li');
    li.textContent = step;
    return li;
  }));
  $('body').value = body;
  // the same key is the same id, whatever the body
  const conflict = deadLetter?.reason === 'conflict' && stored !== false && deadLetter.state !== 'erased';
  $('body').readOnly = !deadLetter || conflict;
  $('body-label').hidden = body === '' && !deadLetter;
  $('message').textContent = '';
  const erased = deadLetter?.state === 'erased';
  for (const name of ['replay', 'correct']) $(name).hidden = !deadLetter || erased || conflict || deadLetter.keyLeftOut !== undefined;
  $('discard').hidden = $('note-label').hidden = !deadLetter || erased;
  $('note').value = '';
  const edited = typeof deadLetter?.value === 'object' && !deadLetter.value.$binary;
  $('replay').hidden ||= edited || (deadLetter?.valueLeftOut ?? deadLetter?.headersLeftOut) !== undefined;
  $('advice').hidden = !conflict;
  $('advice').textContent = stored === 'forbidden' ? 'Whether the first job is still stored is told with the role jobs:read alone.'
    : stored === null ? 'Whether the first job is still stored can’t be told now. Open this dead letter again later.'
    : 'The first job with this id is stored, and stays. So a replay, even with another body, would be a conflict again.'
      + ' If this job is wanted, send it to POST /jobs with an Idempotency-Key of its own. Then discard this dead letter.';
  if (!$('detail').open) $('detail').showModal();
}

const what = { replayed: 'replayed', corrected: 'replayed with a corrected body', discarded: 'discarded', erased: 'erased' };
const acts = (deadLetter) => (deadLetter.history ?? []).map((act) => [act.at, [what[act.action], act.position && `as ${act.position}`,
  `by ${act.by ?? 'somebody'}${act.address ? ` from ${act.address}` : ''}`].filter(Boolean).join(' ') + (act.note ? `: ${act.note}` : ''), act.position]);
const inOrder = (steps) => steps.toSorted(([one], [other]) => new Date(one) - new Date(other)).map(([at, what]) => `${time(at)} ${what}`);

async function openJob(id) {
  const own = ++asked;
  const address = encodeURIComponent(id);
  const dead = await request(`dead-letters?limit=20&job=${address}`).catch(() => null);
  const unknown = dead ? '' : 'whether it was a dead letter can’t be told now';
  const letters = (dead?.deadLetters ?? []).flatMap((one) => [[one.firstSeen, `dead letter (${one.reason}): ${one.detail}`],
    ...acts(one)]);
  try {
    const job = await request(`jobs/${address}`);
    const meta = job._meta;
    // a replay is noted once Kafka has it
    for (const step of letters) if (meta && step[2] === `${meta.topic}#${meta.partition}#${meta.offset}`) step[0] = meta.acceptedAt;
    open(own, `Job ${id}`, inOrder([...letters, ...meta ? [
      [meta.acceptedAt, `published to ${meta.topic}, partition ${meta.partition}, offset ${meta.offset}`],
      [meta.storedAt, `stored in MongoDB, ${waited(meta)} after it was published`]] : []]).concat(unknown),
    job.raw, null); // as it came: a browser's numbers have fewer digits
  } catch (failure) {
    open(own, `Job ${id}`, [...inOrder(letters), unknown, `${failure.message}${failure.body?.waiting ? ` (${failure.body.waiting} records wait)` : ''}`], '', null);
  }
}

// whether the job with an id is stored; null where that can't be told now, or 'forbidden'
async function isStored(id) {
  try {
    await request(`jobs/${encodeURIComponent(id)}`, { method: 'HEAD' });
    return true;
  } catch (failure) {
    if ([401, 403].includes(failure.status)) return 'forbidden';
    return failure.status === 404 ? false : null;
  }
}

async function openDeadLetter(href) {
  const own = ++asked;
  try {
    const one = await request(href.slice(1));
    const stored = one.reason === 'conflict' && one.state !== 'erased' ? await isStored(one.job) : false;
    const value = one.value?.$binary ? `(no text; as Base64: ${one.value.$binary.base64})` : text(one.value);
    open(own, `Dead letter ${one.id}`, [
      `job ${one.job}`,
      one.replayOf && `comes from a replay of ${one.replayOf}`,
      `${time(one.firstSeen)} ${one.reason}${one.code ? ` (MongoDB's code ${one.code})` : ''}: ${one.detail}`,
      one.keyLeftOut && `the key, ${number.format(one.keyLeftOut)} bytes, was too large to be kept here: it can’t be replayed`,
      one.headersLeftOut && `${one.headersLeftOut} headers were too large to be kept here: it can’t be replayed unchanged`,
      one.valueLeftOut && `the body, ${number.format(one.valueLeftOut)} bytes, was too large to be kept here`,
      ...inOrder(acts(one)),
    ], value, one, stored);
  } catch (failure) {
    open(own, 'Dead letter', [failure.message], '', null);
  }
}

async function act(path, options, said) {
  const shown = asked;
  const buttons = ['replay', 'correct', 'discard'].map($);
  for (const button of buttons) button.disabled = true;
  try {
    const note = $('note').value.trim();
    await request(`${current.href.slice(1)}${path}${note && `?note=${encodeURIComponent(note)}`}`, options);
    if (shown === asked) $('detail').close();
    showDead(deadPath());
    done(said, false);
  } catch (failure) {
    if (shown === asked && $('detail').open) $('message').textContent = failure.message;
    else done(failure.message, true);
  }
  for (const button of buttons) button.disabled = false;
}

$('replay').addEventListener('click', () => act('/replay', { method: 'POST' }, what.replayed));
$('correct').addEventListener('click', () => act('/replay',
  { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: $('body').value }, what.corrected));
$('discard').addEventListener('click', () => act('', { method: 'DELETE' }, what.discarded));
$('close').addEventListener('click', () => $('detail').close());

// what is looked at stays as it is; a slow database is asked less often
const idle = (name) => !document.hidden && $(name).rows.length <= 20;
async function refresh(name, show) {
  const start = Date.now();
  if (idle(name)) await show(() => idle(name));
  setTimeout(refresh, Math.min(LIST_REFRESH_MAX, Math.max(LIST_REFRESH_MIN, 20 * (Date.now() - start))), name, show);
}
refresh('dead', (isWanted) => showDead(deadPath(), isWanted));
refresh('jobs', (isWanted) => showJobs(jobsPath, isWanted));
