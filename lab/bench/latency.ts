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
import { countTurns, READ_TASK, READ_TURNS } from './hops.ts';
import { FINE_POLL, pollUntil } from './measure.ts';

/** Samples in ms, one for each round. */
type Latencies = { readonly review: number[]; readonly commit: number[]; readonly hops: number[] };

/**
 * Measures one process of the App over HTTP, in front of a fake GitHub and a model that respond at once. The samples
 * include the time of these fakes. `databaseVariables` selects the database. All rounds use one pull request.
 */
export async function measureLatencies(
  databaseVariables: Readonly<Record<string, string>>,
  rounds: number,
): Promise<Latencies> {
  const site = await startTestSite(1);
  const appProcess = createAppProcess({ ...site.environment, ...databaseVariables });
  const modelRequestTimes: number[] = [];
  site.model.setFallback((request) => {
    modelRequestTimes.push(performance.now());
    return isReadTask(request) ? respondToReadTask(request) : answerAsModel(request);
  });
  const samples: Latencies = { review: [], commit: [], hops: [] };
  try {
    await appProcess.start();
    site.github.setWebhookTarget(`${appProcess.url()}/api/github/webhooks`);
    const [pull] = site.pulls;
    if (pull === undefined) throw new Error('There is no pull request.');
    for (let round = 0; round <= rounds; round += 1)
      await measureRound({ site, pull, modelRequestTimes, samples }, round);
  } finally {
    await appProcess.stop('SIGKILL');
    await site.close();
  }
  // The first round opens connections, fetches tokens and compiles code.
  for (const values of Object.values(samples)) values.shift();
  return samples;
}

type LatencyRound = {
  readonly site: TestSite;
  readonly pull: TestPull;
  readonly modelRequestTimes: number[];
  readonly samples: Latencies;
};

async function measureRound({ site, pull, modelRequestTimes, samples }: LatencyRound, round: number): Promise<void> {
  const countShown = (): number => listShownProposals(site, pull).length;
  const countCommitted = (): number => countCommitsByProposal(site, pull).size;
  const shownBefore = countShown();
  samples.review.push(
    await timeComment(pull, taskComment(round), () => countShown() === shownBefore + CHANGES_PER_TASK),
  );
  const committedBefore = countCommitted();
  samples.commit.push(await timeComment(pull, '/approve all', () => countCommitted() > committedBefore));
  await waitUntilQuiet(site, modelRequestTimes);
  modelRequestTimes.length = 0;
  pull.act((person) => person.says(`/countersign ${READ_TASK}`));
  await pollUntil(() => modelRequestTimes.length > READ_TURNS, FINE_POLL);
  samples.hops.push((modelRequestTimes[READ_TURNS] ?? 0) - (modelRequestTimes[0] ?? 0));
  await waitUntilQuiet(site, modelRequestTimes);
}

/** Time in ms from posting a comment until `isDone`. */
async function timeComment(pull: TestPull, body: string, isDone: () => boolean): Promise<number> {
  const startedAt = performance.now();
  pull.act((person) => person.says(body));
  await pollUntil(isDone, FINE_POLL);
  return performance.now() - startedAt;
}

const QUIET_MS = 400;

/** Waits until neither GitHub nor the model receives a request for `QUIET_MS`, and no webhook is pending. */
async function waitUntilQuiet(site: TestSite, modelRequestTimes: readonly number[]): Promise<void> {
  const countRequests = (): number => modelRequestTimes.length + site.github.requests.length;
  for (let seen = -1; seen !== countRequests(); ) {
    seen = countRequests();
    await sleep(QUIET_MS);
    await site.github.whenIdle();
  }
}

/** The task is the last line of its message; the lines before it can tell of earlier tasks. */
function isReadTask({ messages }: ChatRequest): boolean {
  const message = messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return message.slice(message.lastIndexOf('\n')).includes(READ_TASK);
}

function respondToReadTask({ messages }: ChatRequest): ScriptedTurn {
  if (countTurns(messages) >= READ_TURNS) return { content: 'Read.' };
  return { content: null, calls: [{ name: 'read_file', arguments: { path: ROWS_PATH, limit: 5 } }] };
}
