'use strict';
// Replays or discards all open dead letters of the selection, after their number was shown.

const MANY = {
  replay: { path: '/replay', method: 'POST', title: 'Replay many', button: 'Replay them', doing: 'replayed',
    means: 'A replay publishes each of them again as it is. It can’t be undone.' },
  discard: { path: '', method: 'DELETE', title: 'Discard many', button: 'Discard them', doing: 'discarded',
    means: 'A discard marks each of them as of no use, and keeps it. It can’t be undone for all of them at once.' },
};
let many = null; // what is asked for now

const openLetters = (count) => `${count >= 10_000 ? '10,000 or more' : number.format(count)} open dead letter${count === 1 ? '' : 's'}`;

async function askForMany(action) {
  const query = selection();
  query.set('state', 'open');
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
    const { matched, to } = await request(`${own.path}?${query}&dry-run=true`, { method: own.method });
    if (own !== many) return;
    query.set('to', to); // what comes while somebody reads the number is not meant
    const reason = query.has('reason') ? ` of the reason ${query.get('reason')}` : '';
    const from = query.has('from') ? `from ${time(query.get('from'))} ` : '';
    $('many-words').textContent = matched ? `${openLetters(matched)}${reason}, seen ${from}until ${time(query.get('to'))}. ${action.means}`
      : `No open dead letter${reason} was seen ${from}until ${time(query.get('to'))}.`;
    $('many-do').hidden = $('many-note-label').hidden = !matched;
  } catch (failure) {
    if (own !== many) return;
    $('many-words').textContent = '';
    $('many-message').textContent = failure.message;
  }
}

// a request replays for some seconds, and tells how many are left
async function doMany() {
  const own = many;
  const note = $('many-note').value.trim();
  if (note) own.query.set('note', note);
  $('many-do').hidden = $('many-note-label').hidden = true;
  $('many-close').textContent = 'Stop';
  let total = 0;
  let skipped = 0;
  try {
    for (let left = 1; left > 0 && own === many;) {
      $('many-words').textContent = `${number.format(total)} ${own.doing} …`;
      const answer = await request(`${own.path}?${own.query}`, { method: own.method });
      const count = answer.replayed ?? answer.discarded;
      total += count;
      skipped = answer.skipped ?? 0;
      left = count ? answer.left ?? 0 : 0;
    }
    if (own === many) $('many').close();
    done(`${number.format(total)} ${own.doing}${skipped ? `; ${number.format(skipped)} are not kept whole, and need a correction` : ''}`, false);
  } catch (failure) {
    const text = `${total ? `${number.format(total)} ${own.doing}, then: ` : ''}${failure.message}`;
    if (own === many) {
      $('many-words').textContent = '';
      $('many-message').textContent = text;
      $('many-close').textContent = 'Close';
    } else {
      done(text, true);
    }
  }
  showDead(deadPath());
}

function offerMany() {
  const { value } = $('dead-search').elements.state;
  for (const id of ['replay-many', 'discard-many']) $(id).hidden = value !== 'open';
}

$('replay-many').addEventListener('click', () => askForMany(MANY.replay));
$('discard-many').addEventListener('click', () => askForMany(MANY.discard));
$('many-do').addEventListener('click', doMany);
$('many-close').addEventListener('click', () => $('many').close());
$('many').addEventListener('close', () => { many = null; });
$('dead-search').elements.state.addEventListener('change', offerMany);
offerMany();
