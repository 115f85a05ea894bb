import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatRequest, ScriptedTurn } from '../../fakes/model/script.ts';
import { createAppProcess } from '../chaos/app-process.ts';
import { countCommitsByProposal, listShownProposals } from '../chaos/people.ts';
import {
  answerAsModel,
  CHANGES_PER_TASK,
  ROWS_PATH,
  startTestSite,
  type TestPull,
  type TestSite,
  taskComment,
} from '../chaos/site.ts';

/** Samples in ms, one for each round. */
type Latencies = { readonly review: number[]; readonly commit: number[]; readonly hops: number[] };

/**
 * Turns that only read, between the first request to the model and the last: two hops each, the model's and the tools'.
 */
const READ_TURNS = 4;

export const REMOTE_HOPS = READ_TURNS * 2;

const READ_TASK = 'read it again and again';

/**
 * One process of the App on the database that `stored` names, in front of a simulated GitHub and a model that answer at
 * once, over HTTP: what is measured holds the simulation's own work too. Rounds follow each other on one pull request.
 */
export async function measureLatencies(stored: Readonly<Record<string, string>>, rounds: number): Promise<Latencies> {
  const site = await startTestSite(1);
  const appProcess = createAppProcess({ ...site.environment, ...stored });
  const asked: number[] = [];
  site.model.setFallback((request) => {
    asked.push(performance.now());
    return isReadTask(request) ? answerRead(request) : answerAsModel(request);
  });
  const samples: Latencies = { review: [], commit: [], hops: [] };
  try {
    await appProcess.start();
    site.github.setWebhookTarget(`${appProcess.url()}/api/github/webhooks`);
    const [pull] = site.pulls;
    if (pull === undefined) throw new Error('There is no pull request.');
    for (let round = 0; round <= rounds; round += 1) await playRound({ site, pull, asked, samples }, round);
  } finally {
    await appProcess.stop('SIGKILL');
    await site.close();
  }
  // The first round makes what later ones find: connections, tokens, compiled code.
  for (const those of Object.values(samples)) those.shift();
  return samples;
}

type LatencyRound = {
  readonly site: TestSite;
  readonly pull: TestPull;
  readonly asked: number[];
  readonly samples: Latencies;
};

async function playRound({ site, pull, asked, samples }: LatencyRound, round: number): Promise<void> {
  const shown = (): number => listShownProposals(site, pull).length;
  const before = shown();
  samples.review.push(await timeComment(pull, taskComment(round), () => shown() === before + CHANGES_PER_TASK));
  const made = countCommitsByProposal(site, pull).size;
  samples.commit.push(await timeComment(pull, '/approve all', () => countCommitsByProposal(site, pull).size > made));
  await waitUntilQuiet(site, asked);
  asked.length = 0;
  pull.act((person) => person.says(`/countersign ${READ_TASK}`));
  await waitUntil(() => asked.length > READ_TURNS);
  samples.hops.push((asked[READ_TURNS] ?? 0) - (asked[0] ?? 0));
  await waitUntilQuiet(site, asked);
}

async function timeComment(pull: TestPull, words: string, done: () => boolean): Promise<number> {
  const startedAt = performance.now();
  pull.act((person) => person.says(words));
  await waitUntil(done);
  return performance.now() - startedAt;
}

/** Nothing has been asked and no webhook sent for a while. */
async function waitUntilQuiet(site: TestSite, asked: readonly number[]): Promise<void> {
  for (let seen = -1; seen !== asked.length + site.github.requests.length; ) {
    seen = asked.length + site.github.requests.length;
    await sleep(400);
    await site.github.whenIdle();
  }
}

async function waitUntil(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!done()) {
    if (performance.now() > deadline) throw new Error('It did not happen within a minute.');
    await sleep(2);
  }
}

function isReadTask({ messages }: ChatRequest): boolean {
  return messages.findLast(({ role }) => role === 'user')?.content?.includes(READ_TASK) ?? false;
}

function answerRead({ messages }: ChatRequest): ScriptedTurn {
  const startedAt = messages.findLastIndex(({ role }) => role === 'user');
  const turns = messages.slice(startedAt).filter(({ role }) => role === 'assistant').length;
  if (turns >= READ_TURNS) return { content: 'Read.' };
  return { content: null, calls: [{ name: 'read_file', arguments: { path: ROWS_PATH, limit: 5 } }] };
}
