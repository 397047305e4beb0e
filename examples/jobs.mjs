// One job, a resumable upload with its progress, and the wait until a job is stored.
import { randomUUID } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

if (process.argv.length !== 3) throw new Error('give a file to upload, one job a line');
await access(process.argv[2]);

const jobs = `${process.env.REST_TO_KAFKA ?? 'http://localhost:9090'}/jobs`;
// an API key or a token, where security is on
const key = process.env.JOBS_KEY ? { Authorization: `Bearer ${process.env.JOBS_KEY}` } : {};

// a key makes it safe to try again whatever went wrong
async function again(action) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action();
    } catch (failure) {
      if (attempt === 5 || (failure.status && failure.status !== 408 && failure.status !== 429 && failure.status !== 503)) throw failure;
      await sleep((failure.retryAfter ?? attempt) * 1000);
    }
  }
}

async function post(body, type, id) {
  const answer = await fetch(jobs, {
    method: 'POST', body, headers: { ...key, 'Content-Type': type, 'Idempotency-Key': id, Prefer: 'return=minimal' },
    signal: AbortSignal.timeout(60_000),
  });
  if (!answer.ok) {
    throw Object.assign(new Error(`${answer.status} ${await answer.text()}`),
      { status: answer.status, retryAfter: answer.headers.get('Retry-After') });
  }
  return answer;
}

// sent in parts, so that an upload which broke off goes on with the part that it broke off in
async function upload(path, id) {
  const lines = (await readFile(path, 'latin1')) // a character for each byte, so that none is changed
    .replace(/\n$/, '').split('\n');
  let accepted = 0;
  let refused = 0;
  for (let start = 0; start < lines.length; start += 2000) {
    const part = lines.slice(start, start + 2000);
    const outcomes = await again(async () => { // of refused lines, and at the end the counts
      const answer = await post(Buffer.from(part.map((line) => `${line}\n`).join(''), 'latin1'), 'application/x-ndjson', `${id}-${start}`);
      const found = (await answer.text()).trim().split('\n').map((line) => JSON.parse(line));
      if (found.at(-1).lines !== part.length || found.some((one) => one.status === 408 || one.status === 503)) {
        throw new Error(`the upload broke off: ${JSON.stringify(found.at(-2))}`);
      }
      return found;
    });
    const counts = outcomes.pop();
    for (const one of outcomes) console.log(`line ${start + one.line}: ${one.status} ${one.detail}`);
    accepted += counts.accepted;
    refused += counts.refused;
    console.error(`${start + counts.lines} lines`);
  }
  console.log(`${accepted} accepted, ${refused} refused`);
}

const location = (await again(() => post('{"title": "Engineer", "company": "Acme"}', 'application/json', randomUUID())))
  .headers.get('Location');
console.log('accepted:', location);
const stored = await fetch(location, { headers: { ...key, Prefer: 'wait=20' }, signal: AbortSignal.timeout(30_000) });
if (!stored.ok && stored.status !== 404) throw new Error(`${stored.status} ${await stored.text()}`);
console.log(stored.ok ? `stored: ${(await stored.json())._meta.storedAt}` : 'not stored yet: ask again later');
await upload(process.argv[2], randomUUID());
