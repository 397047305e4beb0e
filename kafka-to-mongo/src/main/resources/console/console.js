'use strict';
// What comes from documents is put on the page as text only, never as HTML.

// Milliseconds between two looks at a list: at least, and at most when the database is slow.
const LIST_REFRESH_MIN = 5000;
const LIST_REFRESH_MAX = 15_000;

// Milliseconds between two looks at a list that grows.
const LIST_FOLLOW = 1000;

const $ = (id) => document.getElementById(id);
// a date beyond those of browsers is shown as it came
const time = (text) => {
  const date = new Date(text ?? '');
  return Number.isNaN(date.valueOf()) ? String(text ?? '–') : date.toLocaleString('sv');
};
// a document that somebody else has put there has no such times
const waited = (meta) => (meta?.storedAt && meta.acceptedAt ? duration(new Date(meta.storedAt) - new Date(meta.acceptedAt)) : '–');

// --- which resource is shown

// the address has the name, and so have reloads and links; without it the service shows its first
function chosen() {
  const name = new URLSearchParams(location.search).get('resource');
  return /^[a-z][a-z0-9-]{0,39}$/.test(name) ? name : null;
}

// a login comes back to an address without it
const CHOICE = 'resource';
function recall() {
  const query = new URLSearchParams(location.search);
  const name = sessionStorage.getItem(CHOICE);
  sessionStorage.removeItem(CHOICE);
  if (!name || query.has('resource')) return;
  query.set('resource', name);
  history.replaceState(null, '', `?${query}`);
}
recall();
$('login').addEventListener('click', () => {
  if (chosen()) sessionStorage.setItem(CHOICE, chosen());
});

// until the service tells; it tells nothing to those who may see no figures
const untold = (name) => (name === null || name === 'jobs'
  ? { name: 'jobs', path: '/jobs', deadLetters: '/dead-letters', id: 'id', columns: ['/title', '/company'], findBy: ['/company'], ownIds: false, versions: false }
  : { name, path: `/${name}`, deadLetters: `/${name}/dead-letters`, id: '_id', columns: [], findBy: [], ownIds: false, versions: false });

let resource = untold(chosen());
let told = false; // whether the lists can be asked for

const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);

// the last part of a pointer, or all of it where others end alike
function heading(pointer, pointers) {
  const last = (other) => other.slice(other.lastIndexOf('/') + 1);
  return capital(pointers.filter((other) => last(other) === last(pointer)).length > 1 ? pointer.slice(1).replaceAll('/', '.') : last(pointer));
}

// the value at a pointer, whose parts have no escapes
const at = (value, pointer) => pointer.slice(1).split('/')
  .reduce((found, name) => (typeof found === 'object' && found !== null && Object.hasOwn(found, name) ? found[name] : undefined), value);

function element(name, words) {
  const made = document.createElement(name);
  made.textContent = words;
  return made;
}

// words, columns and fields of the resource that is shown
function dress() {
  const { name, columns, findBy } = resource;
  put('title', capital(name));
  document.title = `${capital(name)}: console`;
  put('jobs-title', capital(name));
  const word = noun(resource);
  const words = { One: capital(word), many: `${word}s` };
  for (const place of document.querySelectorAll('[data-noun]')) place.textContent = words[place.dataset.noun];
  $('job-columns').replaceChildren(...['Accepted', 'Stored after', ...columns.map((one) => heading(one, columns)), 'Id'].map((one) => element('th', one)));
  $('job-fields').replaceChildren(...findBy.map((pointer) => {
    const label = element('label', `${heading(pointer, findBy)} (exactly) `);
    // parameters have dots
    label.appendChild(Object.assign(document.createElement('input'), { name: pointer.slice(1).replaceAll('/', '.'), autocomplete: 'off' }));
    return label;
  }));
}

// what the service tells of its resources; a form in use stays as it is
function follow(state) {
  const names = [...$('resource').options].map((option) => option.value);
  if (state.resources && JSON.stringify(names) !== JSON.stringify(state.resources)) {
    $('resource').replaceChildren(...state.resources.map((name) => element('option', name)));
    $('switch').hidden = state.resources.length < 2;
  }
  if ($('resource').value !== state.resource.name) $('resource').value = state.resource.name;
  const isNew = JSON.stringify(resource) !== JSON.stringify(state.resource);
  if (isNew) {
    resource = state.resource;
    dress();
  }
  if (isNew || !told) ask();
}

// asks for the lists of the resource
function ask() {
  told = true;
  showDead(deadPath());
  showJobs(jobsPath = resource.path.slice(1));
}

// shows the resource that the address has now
function change() {
  const name = chosen();
  if (told && name === resource.name) return;
  clearTimeout(again);
  watching.abort();
  resource = untold(name);
  told = false;
  last = null;
  heard = counted = performance.now();
  for (const dialog of ['detail', 'many']) $(dialog).close();
  asked++;
  showDead.clear();
  showJobs.clear();
  dress();
  if (name) $('resource').value = name;
  remember({ now: end, history: true, samples: [] });
  for (const id of ['accepted', 'published', 'waiting', 'oldest', 'stored', 'latency', 'done', 'open', 'letters-new']) put(id, '–');
  unknown();
  say({ level: 'wait', sentence: `asking for ${resource.name} …` });
  again = setTimeout(watch, 200); // the arrow keys go through many
}

addEventListener('popstate', change);
$('resource').addEventListener('change', () => {
  history.pushState(null, '', `?${new URLSearchParams({ resource: $('resource').value })}`);
  change();
});

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

// a browser's numbers have fewer digits
const exact = (name, value, context) => (typeof value === 'number' && context?.source !== String(value) && JSON.rawJSON
  ? JSON.rawJSON(context.source) : value);

async function request(path, options, reviver) {
  const answer = await send(path, options);
  const raw = await answer.text();
  let body = {};
  try {
    body = raw ? JSON.parse(raw, reviver) : {};
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
  if (state.resource) follow(state);
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
  put('latency', median === null ? `no ${noun(resource)} was stored lately` : `half of the ${noun(resource)}s within ${duration(median)}`);
  put('open', state.deadLetters === null ? '–' : state.deadLetters >= 1000 ? '1,000+' : number.format(state.deadLetters));
  put('letters-new', `${number.format(bars.flatMap(([, counts]) => counts).reduce((sum, one) => sum + one, 0))} new in 15 minutes`);
}

const SIGNS = { good: '✓', note: '!', bad: '✕', wait: '…' };

function say({ level, sentence, cause = '', others = '' }) {
  $('condition').dataset.level = level;
  put('sign', SIGNS[level]);
  put('status', sentence);
  put('cause', cause);
  $('cause').hidden = !cause;
  put('others', others);
  $('others').hidden = !others;
}

function lost() {
  say({ level: 'bad', sentence: last ? `kafka-to-mongo has not answered since ${clock(last.now, last.now)}; what is shown is from then`
    : 'kafka-to-mongo does not answer; trying again' });
  unknown();
}

function unknown() {
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
async function read(events, signal) {
  const reader = events.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (signal.aborted) return;
    const lines = (rest + part.value).split('\n');
    rest = lines.pop();
    for (const line of lines) if (line.startsWith('data:')) show(JSON.parse(line.slice(5)));
  }
}

let again = null; // the time-out of the next watch
let watching = null; // ends what is watched now
async function watch() {
  again = null;
  const name = chosen();
  const ending = new AbortController();
  const { signal } = ending;
  watching = ending;
  let pause = 1000;
  try {
    const answer = await send(`console/events${name ? `?resource=${name}` : ''}`, { signal });
    refused = !answer.ok;
    if (refused) {
      pause = 3000;
      const problem = await answer.json().catch(() => ({}));
      if (signal.aborted) return;
      if (answer.status === 404 && name) return forget(problem);
      if (!told) ask(); // figures and lists have roles of their own
      say({ level: 'bad', sentence: 'kafka-to-mongo refuses to show its figures', cause: problem.detail ?? problem.title });
    } else {
      await read(answer.body, signal);
    }
  } catch (failure) {
    if (signal.aborted) return;
    // the service is gone, which lost() tells, or this page is wrong
    refused = false;
    console.warn(failure);
  }
  if (signal.aborted) return; // another resource is shown
  ending.abort();
  again = setTimeout(watch, pause);
}

// a link may name a resource that is no more
function forget(problem) {
  done(problem.detail ?? 'There is no such resource', true);
  history.replaceState(null, '', location.pathname);
  change();
}

if (chosen()) dress();
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
  if (!told) return;
  showDead(deadPath());
  showJobs(jobsPath);
});

$('logout').addEventListener('click', async () => {
  await send('logout', { method: 'POST' });
  location.assign(`./${chosen() ? `?resource=${chosen()}` : ''}`);
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
  if (cells.length === 1) tr.firstChild.colSpan = open.span;
  return tr;
}

function list(name, toRow) {
  const more = $(`${name}-more`);
  let next = null;
  let asked = 0; // an answer is shown only if nothing else was asked for since
  let loading = 0;
  let shown = null;
  const only = (words) => row([words], { span: $(name).closest('table').tHead.rows[0].cells.length });
  const load = async (path, add, isWanted = () => true) => {
    const own = ++asked;
    loading++;
    const rows = [];
    let page = {};
    try {
      page = await request(path, {}, exact);
      if (own === asked) rows.push(...page[name === 'dead' ? 'deadLetters' : resource.name].map(toRow));
      if (!rows.length && !add) rows.push(only('none'));
    } catch (failure) {
      rows.push(only(failure.message));
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
  const clear = () => {
    asked++;
    shown = next = null;
    more.hidden = true;
    $(name).replaceChildren();
  };
  // what nobody has asked for does not take the place of what somebody did
  return Object.assign((path, isWanted) => (isWanted && loading ? null : load(path, false, isWanted)), { clear });
}

const short = (text, length) => (text.length > length ? `${text.slice(0, length)}…` : text);
const text = (value) => (typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value));

const showJobs = list('jobs', (job) => row([time(job._meta.acceptedAt), waited(job._meta),
  ...resource.columns.map((pointer, index) => short(text(at(job, pointer)), index === 0 ? 90 : 60)), job[resource.id]],
{ column: 2 + resource.columns.length, action: () => openJob(job[resource.id]) }));

const showDead = list('dead', (one) => row([time(one.firstSeen), one.reason, (one.replayOf ? 'again: ' : '') + short(text(one.detail), 160), one.job, one.state],
  { column: 3, action: () => openDeadLetter(one.href) }));

let jobsPath = resource.path.slice(1); // of the search that was asked for last

// what the form selects; its times are those of the browser's place
function selection() {
  const query = new URLSearchParams(new FormData($('dead-search')));
  for (const [name, value] of [...query]) {
    if (!value) query.delete(name);
    else if (name === 'from' || name === 'to') query.set(name, new Date(value).toISOString());
  }
  return query;
}

const deadPath = () => `${resource.deadLetters.slice(1)}?${selection()}`;

$('dead-search').addEventListener('submit', (event) => {
  event.preventDefault();
  showDead(deadPath());
});

$('job-search').addEventListener('submit', (event) => {
  event.preventDefault();
  const id = $('job-id').value.trim();
  const fields = [...$('job-fields').querySelectorAll('input')].filter((field) => field.value);
  const path = resource.path.slice(1);
  if (id) openJob(id);
  else showJobs(jobsPath = path + fields.map((field, index) => `${index ? '&' : '?'}${encodeURIComponent(field.name)}=${encodeURIComponent(field.value)}`).join(''));
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
  // the same key is the same id, whatever the body, but where the body has the id
  const conflict = deadLetter?.reason === 'conflict' && stored !== false && deadLetter.state !== 'erased' && !resource.ownIds;
  $('body').readOnly = !deadLetter || conflict;
  $('body-label').hidden = body === '' && !deadLetter;
  $('message').textContent = '';
  const erased = deadLetter?.state === 'erased';
  for (const name of ['replay', 'correct']) $(name).hidden = !deadLetter || erased || conflict || deadLetter.keyLeftOut !== undefined;
  if (deadLetter?.reason === 'conflict' && resource.ownIds) $('replay').hidden = true;
  $('discard').hidden = $('note-label').hidden = !deadLetter || erased;
  $('note').value = '';
  const edited = typeof deadLetter?.value === 'object' && !deadLetter.value.$binary;
  $('replay').hidden ||= edited || (deadLetter?.valueLeftOut ?? deadLetter?.headersLeftOut) !== undefined;
  const ofOwnId = deadLetter?.reason === 'conflict' && resource.ownIds && deadLetter.state !== 'erased';
  $('advice').hidden = !conflict && !ofOwnId;
  const word = noun(resource);
  $('advice').textContent = ofOwnId
    ? `Another ${word} is stored with this id${resource.versions ? ' and version' : ''}, and stays. Replay this one with ${resource.versions ? 'a higher version' : 'another id'}, or discard it.`
    : stored === 'forbidden' ? `Whether the first ${word} is still stored is told with the role ${resource.name}:read alone.`
    : stored === null ? `Whether the first ${word} is still stored can’t be told now. Open this dead letter again later.`
    : `The first ${word} with this id is stored, and stays. So a replay, even with another body, would be a conflict again.`
      + ` If this ${word} is wanted, send it to POST ${resource.path} with an Idempotency-Key of its own. Then discard this dead letter.`;
  if (!$('detail').open) $('detail').showModal();
}

const what = { replayed: 'replayed', corrected: 'replayed with a corrected body', discarded: 'discarded', erased: 'erased' };
const acts = (deadLetter) => (deadLetter.history ?? []).map((act) => [act.at, [what[act.action], act.position && `as ${act.position}`,
  `by ${act.by ?? 'somebody'}${act.address ? ` from ${act.address}` : ''}`].filter(Boolean).join(' ') + (act.note ? `: ${act.note}` : ''), act.position]);
const inOrder = (steps) => steps.toSorted(([one], [other]) => new Date(one) - new Date(other)).map(([at, what]) => `${time(at)} ${what}`);

async function openJob(id) {
  const own = ++asked;
  const { path, deadLetters } = resource;
  const title = `${capital(noun(resource))} ${id}`;
  const address = encodeURIComponent(id);
  const dead = await request(`${deadLetters.slice(1)}?limit=20&job=${address}`).catch(() => null);
  const unknown = dead ? '' : 'whether it was a dead letter can’t be told now';
  const letters = (dead?.deadLetters ?? []).flatMap((one) => [[one.firstSeen, `dead letter (${one.reason}): ${one.detail}`],
    ...acts(one)]);
  try {
    const job = await request(`${path.slice(1)}?id=${address}`);
    const meta = job._meta;
    // a replay is noted once Kafka has it
    for (const step of letters) if (meta && step[2] === `${meta.topic}#${meta.partition}#${meta.offset}`) step[0] = meta.acceptedAt;
    open(own, title, inOrder([...letters, ...meta ? [
      [meta.acceptedAt, `published to ${meta.topic}, partition ${meta.partition}, offset ${meta.offset}`],
      [meta.storedAt, `stored in MongoDB, ${waited(meta)} after it was published`]] : []]).concat(unknown),
    job.raw, null); // as it came: a browser's numbers have fewer digits
  } catch (failure) {
    open(own, title, [...inOrder(letters), unknown, `${failure.message}${failure.body?.waiting ? ` (${failure.body.waiting} records wait)` : ''}`], '', null);
  }
}

// whether the document with an id is stored; null where that can't be told now, or 'forbidden'
async function isStored(id) {
  try {
    await request(`${resource.path.slice(1)}?id=${encodeURIComponent(id)}`, { method: 'HEAD' });
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
      `${noun(resource)} ${one.job}`,
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
const idle = (name) => told && !document.hidden && $(name).rows.length <= 20;
async function refresh(name, show) {
  const start = Date.now();
  if (idle(name)) await show(() => idle(name));
  setTimeout(refresh, Math.min(LIST_REFRESH_MAX, Math.max(LIST_REFRESH_MIN, 20 * (Date.now() - start))), name, show);
}
refresh('dead', (isWanted) => showDead(deadPath(), isWanted));

// asked for as soon as the group has stored more, and else now and then
let listed = null; // how much was stored when it was asked for
let looked = 0; // when that was
async function refreshJobs() {
  const start = Date.now();
  const stored = last?.recent ? last.published - last.waiting : null;
  const due = stored === null ? LIST_REFRESH_MIN : stored === listed ? LIST_REFRESH_MAX : 0;
  if (idle('jobs') && start - looked >= due) {
    await showJobs(jobsPath, () => idle('jobs'));
    [listed, looked] = [stored, Date.now()];
  }
  setTimeout(refreshJobs, Math.min(LIST_REFRESH_MAX, Math.max(LIST_FOLLOW, 20 * (Date.now() - start))));
}
refreshJobs();
