'use strict';
// Replays all open dead letters of the selection, or those that would pass now, or discards them, after their number was shown.

const MANY = {
  'replay-many': { path: '/replay', method: 'POST', title: 'Replay many', button: 'Replay them', doing: 'replayed',
    others: 'are not kept whole, and need a correction',
    means: 'A replay publishes each of them again as it is. It can’t be undone.' },
  'replay-passing': { path: '/replay', method: 'POST', passes: true, title: 'Replay all that would pass now', button: 'Replay them', doing: 'replayed',
    others: 'would still not pass',
    means: 'A replay publishes those again as they are, and the others stay open. It can’t be undone.' },
  'discard-many': { path: '', method: 'DELETE', title: 'Discard many', button: 'Discard them', doing: 'discarded',
    means: 'A discard marks each of them as of no use, and keeps it. It can’t be undone for all of them at once.' },
};
let many = null; // what is asked for now
let running = false; // also what was stopped, until its last answer

// a button that is disabled altogether would lose the focus to which the dialog returns
function setRunning(is) {
  running = is;
  for (const id of Object.keys(MANY)) $(id).setAttribute('aria-disabled', is);
}

const atLeast = (count) => (count >= 10_000 ? '10,000 or more' : number.format(count));
const openLetters = (count) => `${atLeast(count)} open dead letter${count === 1 ? '' : 's'}`;

async function askForMany(action) {
  if (running) return;
  const query = selection();
  query.set('state', 'open');
  if (action.passes) query.set('passes', true);
  many = { ...action, path: resource.deadLetters.slice(1) + action.path, query };
  const own = many;
  $('many-title').textContent = action.title;
  $('many-words').textContent = 'counting …';
  $('many-message').textContent = '';
  $('many-note').value = '';
  $('many-do').textContent = action.button;
  $('many-do').hidden = $('many-note-label').hidden = true;
  $('many-close').textContent = 'Cancel';
  $('many').showModal();
  try {
    const { matched, skipped = 0, from: rest, to } = await request(`${own.path}?${query}&dry-run=true`, { method: own.method });
    if (own !== many) return;
    query.set('to', to); // what comes while somebody reads the number is not meant
    const reason = query.has('reason') ? ` of the reason ${query.get('reason')}` : '';
    const seen = `${query.has('from') ? `from ${time(query.get('from'))} ` : ''}until ${time(to)}`;
    const letters = `${openLetters(matched + skipped)}${reason}, seen ${seen}`;
    const passing = `${number.format(matched)} of ${rest ? 'the oldest ' : ''}${letters}, would pass the contract now.${rest ? ' The others are checked on the way.' : ''}`;
    const any = matched > 0 || rest !== undefined;
    $('many-words').textContent = !any && !skipped ? `No open dead letter${reason} was seen ${seen}.`
      : [own.passes ? passing : `${letters}.`, any && own.means].filter(Boolean).join(' ');
    $('many-do').hidden = $('many-note-label').hidden = !any;
  } catch (failure) {
    if (own !== many) return;
    $('many-words').textContent = '';
    $('many-message').textContent = failure.message;
  }
}

// a request replays for some seconds, and tells how many are left, or from where the next goes on
async function doMany() {
  const own = many;
  const note = $('many-note').value.trim();
  if (note) own.query.set('note', note);
  $('many-do').hidden = $('many-note-label').hidden = true;
  $('many-close').textContent = 'Stop';
  setRunning(true);
  const ask = (query) => request(`${own.path}?${query}`, { method: own.method });
  let total = 0;
  let others = 0;
  let failure = null;
  try {
    const query = new URLSearchParams(own.query);
    for (let goesOn = true; goesOn && own === many;) {
      $('many-words').textContent = `${number.format(total)} ${own.doing} …`;
      const { replayed, discarded, skipped = 0, left = 0, from } = await ask(query);
      const count = replayed ?? discarded;
      total += count;
      others = own.passes ? 0 : skipped;
      goesOn = own.passes ? from !== undefined : count > 0 && left > 0;
      if (!own.passes || !goesOn) continue;
      if (!count && from === query.get('from')) throw new Error(`kafka-to-mongo gets no further than ${time(from)}: select a later time`);
      query.set('from', from);
    }
    if (own.passes && own === many) {
      // answers overlap, so their sum would be too high
      own.query.delete('passes');
      others = (await ask(`${own.query}&dry-run=true`)).matched;
    }
  } catch (problem) {
    failure = `${total ? `${number.format(total)} ${own.doing}, then: ` : ''}${problem.message}`;
  }
  setRunning(false);
  if (failure && own === many) {
    $('many-words').textContent = '';
    $('many-message').textContent = failure;
    $('many-close').textContent = 'Close';
  } else {
    if (own === many) $('many').close();
    done(failure ?? `${number.format(total)} ${own.doing}${others ? `; ${atLeast(others)} ${own.others}` : ''}`, failure !== null);
  }
  showDead(deadPath());
}

function offerMany() {
  const { value } = $('dead-search').elements.state;
  for (const id of Object.keys(MANY)) $(id).hidden = value !== 'open';
}

for (const [id, action] of Object.entries(MANY)) $(id).addEventListener('click', () => askForMany(action));
$('many-do').addEventListener('click', doMany);
$('many-close').addEventListener('click', () => $('many').close());
$('many').addEventListener('close', () => { many = null; });
$('dead-search').elements.state.addEventListener('change', offerMany);
offerMany();
