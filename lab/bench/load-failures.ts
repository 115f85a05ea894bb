import { setTimeout as sleep } from 'node:timers/promises';
import { taskComment } from '../chaos/site.ts';
import { type NamedDatabase, type RateResult, sendAtRate } from './intake.ts';
import {
  createLoadSetup,
  type LoadFinding,
  type LoadSetup,
  stallServices,
  startReady,
  useDatabase,
} from './load-setup.ts';
import { quantile } from './measure.ts';
import { pollUntil } from './poll.ts';

/** Time from a restart after SIGKILL until the process is ready. */
export async function measureRestartAfterKill([name, open]: NamedDatabase): Promise<LoadFinding> {
  const setup = await createLoadSetup(open);
  try {
    const appProcess = await startProcessAtWork(setup);
    await appProcess.stop('SIGKILL');
    return durationFinding(`${name}: ready after SIGKILL`, await startReady(appProcess), 5_000);
  } finally {
    await setup.close();
  }
}

/** Time that SIGTERM takes during a run while GitHub and the model hang. */
export async function measureShutdownWhileStalled([name, open]: NamedDatabase): Promise<LoadFinding> {
  const setup = await createLoadSetup(open);
  try {
    const appProcess = await startProcessAtWork(setup);
    stallServices(setup.site);
    const startedAt = performance.now();
    const exitCode = await appProcess.stop('SIGTERM');
    const finding = durationFinding(
      `${name}: SIGTERM while GitHub and model hang`,
      performance.now() - startedAt,
      25_000,
    );
    return {
      ...finding,
      measured: `exit code ${exitCode} after ${finding.measured}`,
      isMet: finding.isMet && exitCode === 0,
    };
  } finally {
    await setup.close();
  }
}

/** Time until another process continues the run of a crashed or hanging process. Needs PostgreSQL. */
export async function measureTakeover([name, open]: NamedDatabase): Promise<readonly LoadFinding[]> {
  const crashed = await timeTakeover(open, (first) => first.stop('SIGKILL').then(() => performance.now()));
  const hanging = await timeTakeover(open, async (first) => {
    void first.hang(60_000);
    return performance.now();
  });
  return [
    durationFinding(`${name}: takeover from a crashed process`, crashed, 1_000),
    durationFinding(`${name}: takeover from a hanging process`, hanging, 15_000),
  ];
}

type StartedProcess = Awaited<ReturnType<typeof startProcessAtWork>>;

/** Time in ms from the fault until the second process repeats the model request of the first. */
async function timeTakeover(
  open: NamedDatabase[1],
  /** Resolves with the moment of the fault. */
  injectFault: (first: StartedProcess) => Promise<number>,
): Promise<number> {
  const setup = await createLoadSetup(open);
  try {
    const first = await startProcessAtWork(setup);
    await startReady(setup.createProcess());
    const { requests } = setup.site.model;
    const requestsBefore = requests.length;
    // The second process must have finished its startup work.
    await sleep(2_000);
    const failedAt = await injectFault(first);
    await pollUntil(() => requests.length > requestsBefore);
    return performance.now() - failedAt;
  } finally {
    await setup.close();
  }
}

/** A process in the middle of a run: its model request never gets a response. */
async function startProcessAtWork(setup: LoadSetup) {
  const { site } = setup;
  const appProcess = setup.createProcess();
  await startReady(appProcess);
  site.model.setFallback({ fault: 'hang' });
  site.github.setWebhookTarget(`${appProcess.url()}/api/github/webhooks`);
  site.pulls[0]?.act((person) => person.says(taskComment(0)));
  await pollUntil(() => site.model.requests.length > 0);
  return appProcess;
}

function durationFinding(label: string, ms: number, goalMs: number): LoadFinding {
  return {
    label,
    measured: `${(ms / 1000).toFixed(2)} s`,
    goal: `within ${goalMs / 1000} s`,
    isMet: ms <= goalMs,
  };
}

const GOAL_P99_MS = 250;

/** Sends deliveries while GitHub and the model hang, then kills the process and looks for them in its database. */
export async function measureStalledIntake(
  [name, open]: NamedDatabase,
  seconds: number,
): Promise<readonly LoadFinding[]> {
  const steady = await sendStalled(open, 200, seconds);
  const burst = await sendStalled(open, 1_000, 5);
  const p99 = quantile(steady.times, 0.99);
  return [
    lossFinding(`${name}: 200 deliveries per second for ${seconds} s while GitHub and model hang`, steady),
    {
      label: `${name}: time to acknowledge one of them, p99`,
      measured: `${p99.toFixed(0)} ms (median ${quantile(steady.times, 0.5).toFixed(0)})`,
      goal: `under ${GOAL_P99_MS} ms`,
      isMet: p99 < GOAL_P99_MS,
    },
    lossFinding(`${name}: 1,000 deliveries per second for 5 s`, burst),
  ];
}

type StalledResult = RateResult & { readonly lost: number };

async function sendStalled(open: NamedDatabase[1], perSecond: number, seconds: number): Promise<StalledResult> {
  const setup = await createLoadSetup(open);
  try {
    const appProcess = setup.createProcess();
    await startReady(appProcess);
    stallServices(setup.site);
    const target = { url: appProcess.url() ?? '', secret: setup.site.github.app.webhookSecret };
    // A new process compiles code during its first deliveries.
    await sendAtRate(target, 100, 3);
    const result = await sendAtRate(target, perSecond, seconds);
    await appProcess.stop('SIGKILL');
    const stored = await useDatabase(setup.database, async ({ db }) => {
      const rows = await db.selectFrom('inbox').select('delivery_id').execute();
      return new Set(rows.map((row) => row.delivery_id));
    });
    return { ...result, lost: result.ids.filter((id) => !stored.has(id)).length };
  } finally {
    await setup.close();
  }
}

/** A delivery is lost if it was acknowledged and is not stored. Recovery finds refused deliveries in GitHub's log. */
function lossFinding(label: string, { ids, refused, lost, times }: StalledResult): LoadFinding {
  const slowest = `slowest ${quantile(times, 1).toFixed(0)} ms`;
  return {
    label,
    measured: `${ids.length} acknowledged, ${refused} refused, ${lost} lost (${slowest})`,
    goal: 'none refused, none lost',
    isMet: refused === 0 && lost === 0,
  };
}
