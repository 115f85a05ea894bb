import { setTimeout as sleep } from 'node:timers/promises';
import { taskComment } from '../chaos/site.ts';
import { type NamedDatabase, type RateResult, sendAtRate } from './intake.ts';
import {
  createLoadSetup,
  type LoadFinding,
  type LoadSetup,
  pollUntil,
  stallServices,
  startReady,
  useDatabase,
} from './load-setup.ts';
import { quantile } from './measure.ts';

/** How long a process takes to be there again after a kill. */
export async function measureRestartAfterKill([name, open]: NamedDatabase): Promise<LoadFinding> {
  const setup = await createLoadSetup(open);
  try {
    const appProcess = await startProcessAtWork(setup);
    await appProcess.stop('SIGKILL');
    return durationFinding(`${name}: ready again after SIGKILL`, await startReady(appProcess), 5_000);
  } finally {
    await setup.close();
  }
}

/** How long SIGTERM takes while GitHub and the model answer nothing in the middle of a run. */
export async function measureShutdownWhileStalled([name, open]: NamedDatabase): Promise<LoadFinding> {
  const setup = await createLoadSetup(open);
  try {
    const appProcess = await startProcessAtWork(setup);
    stallServices(setup.site);
    const startedAt = performance.now();
    const code = await appProcess.stop('SIGTERM');
    const finding = durationFinding(
      `${name}: SIGTERM while GitHub and model hang`,
      performance.now() - startedAt,
      25_000,
    );
    return { ...finding, measured: `exit ${code} after ${finding.measured}`, isMet: finding.isMet && code === 0 };
  } finally {
    await setup.close();
  }
}

/** How long until another process goes on with a run whose process is gone, or hangs. Only PostgreSQL has two. */
export async function measureTakeover([name, open]: NamedDatabase): Promise<readonly LoadFinding[]> {
  const dead = await timeTakeover(open, (first) => first.stop('SIGKILL').then(() => performance.now()));
  const hanging = await timeTakeover(open, async (first) => {
    void first.hang(60_000);
    return performance.now();
  });
  return [
    durationFinding(`${name}: taken over from a process that died`, dead, 1_000),
    durationFinding(`${name}: taken over from one that hangs`, hanging, 15_000),
  ];
}

type StartedProcess = Awaited<ReturnType<typeof startProcessAtWork>>;

/** Ms from the moment `strike` names until the other process asks the model what the first was asking. */
async function timeTakeover(
  open: NamedDatabase[1],
  strike: (first: StartedProcess) => Promise<number>,
): Promise<number> {
  const setup = await createLoadSetup(open);
  try {
    const first = await startProcessAtWork(setup);
    await startReady(setup.createProcess());
    const { requests } = setup.site.model;
    const asked = requests.length;
    // What the second one does at its start is over.
    await sleep(2_000);
    const startedAt = await strike(first);
    await pollUntil(() => requests.length > asked);
    return performance.now() - startedAt;
  } finally {
    await setup.close();
  }
}

/** A process that waits for the model's answer, which never comes. */
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

function durationFinding(what: string, ms: number, goalMs: number): LoadFinding {
  return {
    what,
    measured: `${(ms / 1000).toFixed(2)} s`,
    goal: `within ${goalMs / 1000} s`,
    isMet: ms <= goalMs,
  };
}

const GOAL_P99_MS = 250;

/**
 * Deliveries while GitHub and the model answer nothing; the process is killed at the end, and its database looked at.
 */
export async function measureStalledIntake(
  [name, open]: NamedDatabase,
  seconds: number,
): Promise<readonly LoadFinding[]> {
  const steady = await sendStalled(open, 200, seconds);
  const burst = await sendStalled(open, 1_000, 5);
  const slow = quantile(steady.times, 0.99);
  return [
    lossFinding(`${name}: 200 deliveries a second for ${seconds} s, GitHub and model stalled`, steady),
    {
      what: `${name}: acknowledged then, p99`,
      measured: `${slow.toFixed(0)} ms (median ${quantile(steady.times, 0.5).toFixed(0)})`,
      goal: `under ${GOAL_P99_MS} ms`,
      isMet: slow < GOAL_P99_MS,
    },
    lossFinding(`${name}: 1,000 deliveries a second for 5 s`, burst),
  ];
}

type StalledResult = RateResult & { readonly lost: number };

async function sendStalled(open: NamedDatabase[1], perSecond: number, seconds: number): Promise<StalledResult> {
  const setup = await createLoadSetup(open);
  try {
    const appProcess = setup.createProcess();
    await startReady(appProcess);
    stallServices(setup.site);
    const to = { url: appProcess.url() ?? '', secret: setup.site.github.app.webhookSecret };
    // A process that has just begun compiles what it runs for the first time.
    await sendAtRate(to, 100, 3);
    const answered = await sendAtRate(to, perSecond, seconds);
    await appProcess.stop('SIGKILL');
    const kept = await useDatabase(setup.database, async ({ db }) => {
      const rows = await db.selectFrom('inbox').select('delivery_id').execute();
      return new Set(rows.map((row) => row.delivery_id));
    });
    return { ...answered, lost: answered.ids.filter((id) => !kept.has(id)).length };
  } finally {
    await setup.close();
  }
}

/** Lost is what was acknowledged and is not there; what was refused GitHub shows as failed, and a sweep finds it. */
function lossFinding(what: string, { ids, refused, lost, times }: StalledResult): LoadFinding {
  const took = `slowest ${quantile(times, 1).toFixed(0)} ms`;
  return {
    what,
    measured: `${ids.length} acknowledged, ${refused} refused, ${lost} lost (${took})`,
    goal: 'none refused, none lost',
    isMet: refused === 0 && lost === 0,
  };
}
