import { setTimeout as sleep } from 'node:timers/promises';
import { committedOn, proposalsOn } from '../src/chaos/page.ts';
import { openReplica } from '../src/chaos/replica.ts';
import { answer, CHANGES, ROWS_PATH, taskText } from '../src/chaos/rows.ts';
import { openSite, type Site, type SitePull } from '../src/chaos/site.ts';
import type { ChatRequest, ModelTurn } from '../src/simulator/model/script.ts';

/** Samples in ms, one for each round. */
export type Latencies = { readonly review: number[]; readonly commit: number[]; readonly hops: number[] };

/**
 * Turns that only read, between the first request to the model and the last: two hops each, the model's and the tools'.
 */
const READS = 4;
export const HOPS = READS * 2;
const READING = 'read it again and again';

/**
 * One process of the App on the database that `stored` names, in front of a simulated GitHub and a model that answer at
 * once, over HTTP: what is measured holds the simulation's own work too. Rounds follow each other on one pull request.
 */
export async function measureLatencies(stored: Readonly<Record<string, string>>, rounds: number): Promise<Latencies> {
  const site = await openSite(1);
  const replica = openReplica({ ...site.environment, ...stored });
  const asked: number[] = [];
  site.model.otherwise((request) => {
    asked.push(performance.now());
    return isReading(request) ? read(request) : answer(request);
  });
  const samples: Latencies = { review: [], commit: [], hops: [] };
  try {
    await replica.start();
    site.github.webhookTarget(`${replica.url()}/api/github/webhooks`);
    const [pull] = site.pulls;
    if (pull === undefined) throw new Error('There is no pull request.');
    for (let round = 0; round <= rounds; round += 1) await playRound({ site, pull, asked, samples }, round);
  } finally {
    await replica.stop('SIGKILL');
    await site.close();
  }
  // The first round makes what later ones find: connections, tokens, compiled code.
  for (const those of Object.values(samples)) those.shift();
  return samples;
}

type Round = {
  readonly site: Site;
  readonly pull: SitePull;
  readonly asked: number[];
  readonly samples: Latencies;
};

async function playRound({ site, pull, asked, samples }: Round, round: number): Promise<void> {
  const shown = (): number => proposalsOn(site, pull).length;
  const before = shown();
  samples.review.push(await timed(pull, taskText(round), () => shown() === before + CHANGES));
  const made = committedOn(site, pull).size;
  samples.commit.push(await timed(pull, '/approve all', () => committedOn(site, pull).size > made));
  await rest(site, asked);
  asked.length = 0;
  pull.act((person) => person.says(`/countersign ${READING}`));
  await until(() => asked.length > READS);
  samples.hops.push((asked[READS] ?? 0) - (asked[0] ?? 0));
  await rest(site, asked);
}

async function timed(pull: SitePull, words: string, done: () => boolean): Promise<number> {
  const begun = performance.now();
  pull.act((person) => person.says(words));
  await until(done);
  return performance.now() - begun;
}

/** Nothing has been asked and no webhook sent for a while. */
async function rest(site: Site, asked: readonly number[]): Promise<void> {
  for (let seen = -1; seen !== asked.length + site.github.requests.length; ) {
    seen = asked.length + site.github.requests.length;
    await sleep(400);
    await site.github.settled();
  }
}

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error('It did not happen within a minute.');
    await sleep(2);
  }
}

function isReading({ messages }: ChatRequest): boolean {
  return messages.findLast(({ role }) => role === 'user')?.content?.includes(READING) ?? false;
}

function read({ messages }: ChatRequest): ModelTurn {
  const begun = messages.findLastIndex(({ role }) => role === 'user');
  const turns = messages.slice(begun).filter(({ role }) => role === 'assistant').length;
  if (turns >= READS) return { content: 'Read.' };
  return { content: null, calls: [{ name: 'read_file', arguments: { path: ROWS_PATH, limit: 5 } }] };
}
