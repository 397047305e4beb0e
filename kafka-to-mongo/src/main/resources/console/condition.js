'use strict';
// How the pair is, in words. All times are of the service's clock: a browser's may differ.

const LONG_WAIT = 60_000; // a job is stored within a second or two, unless something is wrong

const number = new Intl.NumberFormat('en');
const count = (records, one, many) => `${number.format(records)} ${records === 1 ? one : many}`;

function duration(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 120_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} days`;
}

const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const seconds = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });

// 14:03, or 22 Nov 14:03 of another day
function clock(at, now) {
  const day = days.format(at);
  return (day === days.format(now) ? '' : `${day} `) + hours.format(at);
}

const SILENT = { kafka: 'Kafka does not answer', mongo: 'MongoDB does not answer', listener: 'The listener does not store' };

// a sentence, not a log
const cut = (words) => (words.length > 240 ? `${words.slice(0, 240)}…` : words);

// why a part is not well, in words that go with a time
function trouble(part, now) {
  const reason = (part.reason ?? SILENT[part.name] ?? `${part.name} is ${part.state}`).replace(/\.$/, '');
  if (!part.since) return reason;
  const since = `since ${clock(part.since, now)}`;
  const lasting = reason.replace(/ does not (answer|accept)\b/, ' has not $1ed').replace(/ does not let\b/, ' has not let');
  // what can be done, behind a semicolon, stays behind the time
  const [, what, then] = lasting.match(/^(.*?)((?:; .*)?)$/s);
  return lasting !== reason || / may not /.test(reason) ? `${what} ${since}${then}` : `${what} (${since})${then}`;
}

// a reason can have a cause behind a colon, as long as a log line
const CAUSE = /^((?!.* answers:)[^:]*): (.*)$/s;
const inShort = (part, now) => cut(trouble({ ...part, reason: part.reason?.replace(CAUSE, '$1') }, now));
const cause = (part) => cut((part.reason?.match(CAUSE)?.[2] ?? '').replace(/^[\w.]+(Exception|Error): /, ''));

const ORDER = ['kafka', 'mongo', 'listener'];
const isUp = (part) => part.state === 'UP';
const known = (state) => state.measuredAt !== null && state.measuredAt !== undefined;

// what a document is called: those of other resources than jobs have no word of their own
const noun = (resource) => (!resource || resource.name === 'jobs' ? 'job' : 'document');
const word = (state) => noun(state.resource);

const waiting = (state) => count(state.waiting, `${word(state)} waits`, `${word(state)}s wait`);

function waits(state) {
  if (!known(state)) return 'what waits in Kafka is not known yet';
  if (!state.recent) return `what is shown is from ${clock(state.measuredAt, state.now)}`;
  return state.waiting > 0 ? `${waiting(state)} safely in Kafka` : `no ${word(state)} waits yet`;
}

const age = (state) => (state.recent && state.oldest ? Math.max(0, state.now - state.oldest) : 0);
const isNearlyDeleted = (state) => state.retention > 0 && age(state) > state.retention / 2;
const letters = (open) => (open >= 1000 ? '1,000 or more dead letters are' : count(open, 'dead letter is', 'dead letters are'));

// the parts that the shown resource needs; its listener has the name that the page knows
const LISTENER = /^listener(?:-(.*))?$/;
const reader = (part) => (LISTENER.test(part.name) ? part.name.match(LISTENER)[1] ?? 'jobs' : null);
const isOwn = (state) => (part) => [null, state.resource?.name ?? 'jobs'].includes(reader(part));
const own = (state) => state.parts.filter(isOwn(state)).map((part) => (reader(part) === null ? part : { ...part, name: 'listener' }));

// the listeners of other resources that are not well of themselves, and wait for nothing
function othersDown(state) {
  if (!own(state).every((part) => isUp(part) || part.name === 'listener')) return [];
  return state.parts.filter((part) => !isOwn(state)(part) && !isUp(part) && (part.state !== 'OUT_OF_SERVICE' || part.since));
}

// of those, in one line
function others(state) {
  const down = othersDown(state);
  if (!down.length) return '';
  return down.length === 1 ? `The listener of ${reader(down[0])} is not well: ${inShort(down[0], state.now)}`
    : `The listeners of ${down.map(reader).join(', ')} are not well: choose one above to see why`;
}

// the sentence at the top: its level is good, note, bad or wait
function condition(state) {
  const found = conditionOf({ ...state, parts: own(state) });
  if (!othersDown(state).length) return found;
  return { ...found, level: found.level === 'good' ? 'note' : found.level,
    sentence: found.sentence.replace(/^All is well/, `All is well with ${state.resource?.name ?? 'jobs'}`), others: others(state) };
}

function conditionOf(state) {
  const down = state.parts.filter((part) => !isUp(part)).toSorted((one, other) => ORDER.indexOf(one.name) - ORDER.indexOf(other.name));
  const starting = down.filter((part) => part.state === 'OUT_OF_SERVICE' && !part.since);
  if (starting.length || !state.parts.length) return { level: 'wait', sentence: 'kafka-to-mongo has just started, and asks Kafka and MongoDB' };
  // the listener waits for the others
  const causes = down.length > 1 ? down.filter((part) => part.name !== 'listener') : down;
  if (causes.length) {
    const clauses = causes.map((part) => inShort(part, state.now));
    const silent = causes.length === 1 && clauses[0].startsWith('Kafka has not answered since');
    return { level: 'bad', sentence: `${clauses.join(', and ')}; ${silent ? 'what is shown is from then' : waits(state)}`, cause: cause(causes[0]) };
  }
  if (isNearlyDeleted(state)) {
    return { level: 'bad', sentence: `The oldest ${word(state)} has waited for ${duration(age(state))}, and Kafka deletes it after ${duration(state.retention)}` };
  }
  // the service works, and somebody has to mend what is around it
  const [warning, ...more] = (state.warnings ?? []).map((one) => cut(trouble(one, state.now)));
  if (warning) return { level: 'bad', sentence: warning, cause: more.join('. ') };
  if (!known(state)) return { level: 'wait', sentence: `How many ${word(state)}s wait is not known yet` };
  if (!state.recent) return { level: 'bad', sentence: `How many ${word(state)}s wait is not known; ${waits(state)}` };
  if (state.waiting > 0 && !state.oldest) {
    return { level: 'note', sentence: `${waiting(state)} in Kafka, and since when is not known` };
  }
  if (age(state) > LONG_WAIT) {
    return { level: 'note', sentence: `${waiting(state)} safely in Kafka, the oldest for ${duration(age(state))}` };
  }
  if (state.uncounted) return { level: 'note', sentence: 'All is well, but MongoDB does not tell how many dead letters are open' };
  if (state.deadLetters === null) return { level: 'wait', sentence: 'How many dead letters are open is not known yet' };
  if (state.published === 0) return { level: 'note', sentence: `All is well, but no ${word(state)} has come to the topic ${state.topic} yet` };
  return state.deadLetters > 0
    ? { level: 'note', sentence: `All is well, but ${letters(state.deadLetters)} open` }
    : { level: 'good', sentence: 'All is well' };
}

const WELL = { kafka: 'answers', mongo: 'answers', listener: 'storing' };

// each part in a few words, by the id of its box
function parts(state) {
  const all = {};
  const shown = own(state);
  const well = shown.every(isUp) ? WELL : { ...WELL, listener: 'ready' };
  for (const part of shown) {
    all[part.name] = isUp(part) ? { level: 'good', words: well[part.name] ?? 'well' }
      : { level: part.state === 'OUT_OF_SERVICE' && !part.since ? 'wait' : 'bad', words: inShort(part, state.now) };
  }
  if (!known(state)) all.topic = { level: 'wait', words: 'not known yet' };
  else if (!state.recent) all.topic = { level: 'bad', words: `not known since ${clock(state.measuredAt, state.now)}; this is from then` };
  else if (isNearlyDeleted(state)) all.topic = { level: 'bad', words: `the oldest ${word(state)} is soon deleted` };
  else all.topic = age(state) > LONG_WAIT ? { level: 'note', words: `${word(state)}s wait long` } : { level: 'good', words: state.topic };
  if (state.deadLetters === null) all.letters = { level: state.uncounted ? 'note' : 'wait', words: 'not known now' };
  else all.letters = state.deadLetters > 0 ? { level: 'note', words: 'to be looked at' } : { level: 'good', words: 'none open' };
  return all;
}
