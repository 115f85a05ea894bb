import { setTimeout as sleep } from 'node:timers/promises';
import { taskText } from '../src/chaos/rows.ts';
import type { NamedDatabase } from './intake-table.ts';
import { type Finding, openScene, type Scene, stall, startReady, until } from './load-scene.ts';

/** How long a process takes to be there again after a kill. */
export async function killFinding([name, open]: NamedDatabase): Promise<Finding> {
  const scene = await openScene(open);
  try {
    const replica = await atWork(scene);
    await replica.stop('SIGKILL');
    return within(`${name}: ready again after SIGKILL`, await startReady(replica), 5_000);
  } finally {
    await scene.close();
  }
}

/** How long SIGTERM takes while GitHub and the model answer nothing in the middle of a run. */
export async function endFinding([name, open]: NamedDatabase): Promise<Finding> {
  const scene = await openScene(open);
  try {
    const replica = await atWork(scene);
    stall(scene.site);
    const begun = performance.now();
    const code = await replica.stop('SIGTERM');
    const finding = within(`${name}: SIGTERM while GitHub and model hang`, performance.now() - begun, 25_000);
    return { ...finding, measured: `exit ${code} after ${finding.measured}`, met: finding.met && code === 0 };
  } finally {
    await scene.close();
  }
}

/** How long until another process goes on with a run whose process is gone, or hangs. Only PostgreSQL has two. */
export async function takeoverFindings([name, open]: NamedDatabase): Promise<readonly Finding[]> {
  const dead = await takeover(open, (first) => first.stop('SIGKILL').then(() => performance.now()));
  const hanging = await takeover(open, async (first) => {
    void first.hang(60_000);
    return performance.now();
  });
  return [
    within(`${name}: taken over from a process that died`, dead, 1_000),
    within(`${name}: taken over from one that hangs`, hanging, 15_000),
  ];
}

type Replica = Awaited<ReturnType<typeof atWork>>;

/** Ms from the moment `strike` names until the other process asks the model what the first was asking. */
async function takeover(open: NamedDatabase[1], strike: (first: Replica) => Promise<number>): Promise<number> {
  const scene = await openScene(open);
  try {
    const first = await atWork(scene);
    await startReady(scene.replica());
    const { requests } = scene.site.model;
    const asked = requests.length;
    // What the second one does at its start is over.
    await sleep(2_000);
    const begun = await strike(first);
    await until(() => requests.length > asked);
    return performance.now() - begun;
  } finally {
    await scene.close();
  }
}

/** A process that waits for the model's answer, which never comes. */
async function atWork(scene: Scene) {
  const { site } = scene;
  const replica = scene.replica();
  await startReady(replica);
  site.model.otherwise({ fault: 'hang' });
  site.github.webhookTarget(`${replica.url()}/api/github/webhooks`);
  site.pulls[0]?.act((person) => person.says(taskText(0)));
  await until(() => site.model.requests.length > 0);
  return replica;
}

function within(what: string, ms: number, goalMs: number): Finding {
  return {
    what,
    measured: `${(ms / 1000).toFixed(2)} s`,
    goal: `within ${goalMs / 1000} s`,
    met: ms <= goalMs,
  };
}
