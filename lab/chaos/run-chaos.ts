import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom } from '../simulation/world/random.ts';
import { type AppProcess, createAppProcess } from './app-process.ts';
import { type ChaosDatabase, createDatabaseOn, createEmbeddedDatabase } from './database.ts';
import { type DeliveryCounts, type FaultCounts, injectFaults, startWebhookRelay } from './faults.ts';
import type { ChaosOptions } from './options.ts';
import { createPeople, type People } from './people.ts';
import { startTestSite, type TestSite } from './site.ts';
import { assessRun, type ChaosVerdict, exportLedger, findLedgerProblems, isFinished } from './verdict.ts';

export type ChaosResult = {
  readonly verdict: ChaosVerdict;
  readonly faults: FaultCounts;
  readonly deliveries: Readonly<DeliveryCounts>;
};

/** Pause between two actions of people, ms. */
const POLL_MS = 150;

/** Limit for completion after the last fault, ms. It covers every retry delay and several recoveries of lost webhooks. */
const MAX_COMPLETION_MS = 900_000;

type ChaosRun = {
  readonly site: TestSite;
  readonly people: People;
  readonly appProcesses: readonly AppProcess[];
  readonly database: ChaosDatabase;
};

/** Runs one trial. `printProgress` receives a line every few seconds. Rejects if the run cannot start. */
export async function runChaos(options: ChaosOptions, printProgress: (line: string) => void): Promise<ChaosResult> {
  const database = await (options.server === null ? createEmbeddedDatabase() : createDatabaseOn(options.server));
  const site = await startTestSite(options.pulls);
  const cache = await mkdtemp(join(tmpdir(), 'countersign-chaos-cache-'));
  const environment = { ...site.environment, ...database.environment, NODE_COMPILE_CACHE: cache };
  const appProcesses = Array.from({ length: options.replicas }, () => createAppProcess(environment));
  const urls = (): readonly string[] => appProcesses.flatMap((one) => one.url() ?? []);
  const relay = await startWebhookRelay(createRandom(options.seed + 1), urls);
  const people = createPeople(site, createRandom(options.seed));
  try {
    for (const appProcess of appProcesses) await appProcess.start();
    site.github.setWebhookTarget(`${relay.url}/api/github/webhooks`);
    const run = { site, people, appProcesses, database };
    const faults = await runWithFaults(run, options, printProgress);
    relay.stopFaults();
    await waitForCompletion(run, printProgress);
    const verdict = collectVerdict(run);
    const problems = [...verdict.problems, ...(await checkShutdown(run, environment))];
    return { verdict: { ...verdict, problems }, faults, deliveries: relay.counts };
  } finally {
    await Promise.all(appProcesses.map((appProcess) => appProcess.stop('SIGKILL')));
    await Promise.all([relay.close(), site.close(), database.drop()]);
    await rm(cache, { recursive: true, force: true });
  }
}

async function runWithFaults(
  { people, appProcesses, database, site }: ChaosRun,
  { seconds, seed }: ChaosOptions,
  printProgress: (line: string) => void,
): Promise<FaultCounts> {
  const until = Date.now() + seconds * 1000;
  const faults = injectFaults({ appProcesses, database, random: createRandom(seed + 2) }, until);
  let printedAt = Date.now();
  while (Date.now() < until) {
    people.act('working');
    await sleep(POLL_MS);
    if (Date.now() - printedAt < 5_000) continue;
    printedAt = Date.now();
    const { tasks, approved, commits } = assessRun(site, people.activities);
    printProgress(
      `${Math.ceil((until - printedAt) / 1000)} s left: ${tasks} tasks, ${approved} approved, ${commits} committed`,
    );
  }
  return faults;
}

/** Waits until all work is done. One process is restarted, because a start recovers lost webhooks at once. */
async function waitForCompletion(
  { site, people, appProcesses }: ChaosRun,
  printProgress: (line: string) => void,
): Promise<void> {
  printProgress('No more faults. Waiting for completion.');
  const deadline = Date.now() + MAX_COMPLETION_MS;
  await appProcesses[0]?.stop('SIGTERM');
  await appProcesses[0]?.start();
  while (Date.now() < deadline) {
    people.act('finishing');
    await sleep(POLL_MS);
    if (!isFinished(site, people.activities)) continue;
    await site.github.whenIdle();
    return;
  }
}

/** Problems after shutdown: processes that failed to end, and a ledger that differs from the branches. */
async function checkShutdown(
  { site, people, appProcesses }: ChaosRun,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const ends = await Promise.all(appProcesses.map((appProcess) => appProcess.stop('SIGTERM')));
  const badExits = ends
    .filter((end) => end !== 0 && end !== 'absent')
    .map((end) => `a process ended with ${end} at shutdown`);
  return [...badExits, ...findLedgerProblems(site, people.activities, await exportLedger(environment))];
}

function collectVerdict({ site, people, appProcesses }: ChaosRun): ChaosVerdict {
  const verdict = assessRun(site, people.activities);
  const unexpectedExits = appProcesses.flatMap((appProcess) =>
    appProcess.unexpectedExits.map((exit) => `a process ${exit}`),
  );
  return {
    ...verdict,
    problems: [...verdict.problems, ...unexpectedExits, ...site.github.violations, ...site.model.violations],
  };
}
