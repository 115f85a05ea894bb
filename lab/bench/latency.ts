import { setTimeout as sleep } from 'node:timers/promises';
import { createAppProcess } from '../chaos/app-process.ts';
import { countCommitsByProposal, listShownProposals } from '../chaos/people.ts';
import { CHANGES_PER_TASK, startTestSite, type TestPull, type TestSite, taskComment } from '../chaos/site.ts';

/** Samples in ms, one for each round. */
type Latencies = { readonly review: number[]; readonly commit: number[] };

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
  const samples: Latencies = { review: [], commit: [] };
  try {
    await appProcess.start();
    site.github.setWebhookTarget(`${appProcess.url()}/api/github/webhooks`);
    const [pull] = site.pulls;
    if (pull === undefined) throw new Error('There is no pull request.');
    for (let round = 0; round <= rounds; round += 1) await measureRound(site, pull, samples, round);
  } finally {
    await appProcess.stop('SIGKILL');
    await site.close();
  }
  // The first round opens connections, fetches tokens and compiles code.
  for (const values of Object.values(samples)) values.shift();
  return samples;
}

async function measureRound(site: TestSite, pull: TestPull, samples: Latencies, round: number): Promise<void> {
  const countShown = (): number => listShownProposals(site, pull).length;
  const countCommitted = (): number => countCommitsByProposal(site, pull).size;
  const shownBefore = countShown();
  samples.review.push(
    await timeComment(pull, taskComment(round), () => countShown() === shownBefore + CHANGES_PER_TASK),
  );
  const committedBefore = countCommitted();
  samples.commit.push(await timeComment(pull, '/approve all', () => countCommitted() > committedBefore));
  await waitUntilQuiet(site);
}

/** Time in ms from posting a comment until `isDone`. */
async function timeComment(pull: TestPull, body: string, isDone: () => boolean): Promise<number> {
  const startedAt = performance.now();
  pull.act((person) => person.says(body));
  await pollUntil(isDone);
  return performance.now() - startedAt;
}

const QUIET_MS = 400;

/** Waits until GitHub receives no request for `QUIET_MS`, and no webhook is pending. */
async function waitUntilQuiet(site: TestSite): Promise<void> {
  for (let seen = -1; seen !== site.github.requests.length; ) {
    seen = site.github.requests.length;
    await sleep(QUIET_MS);
    await site.github.whenIdle();
  }
}

/** Short, because a longer interval would distort latencies of some tens of ms. */
const POLL_INTERVAL_MS = 2;

const POLL_TIMEOUT_MS = 60_000;

/** Resolves once `isDone` returns true. Throws at the timeout. */
async function pollUntil(isDone: () => boolean): Promise<void> {
  const deadline = performance.now() + POLL_TIMEOUT_MS;
  while (!isDone()) {
    if (performance.now() > deadline) throw new Error(`The condition was not met within ${POLL_TIMEOUT_MS} ms.`);
    await sleep(POLL_INTERVAL_MS);
  }
}
