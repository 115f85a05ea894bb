import { type Answered, sendAtRate } from './intake.ts';
import type { NamedDatabase } from './intake-table.ts';
import { type Finding, onDatabase, openScene, stall, startReady } from './load-scene.ts';
import { quantile } from './measure.ts';

const GOAL_P99_MS = 250;

/**
 * Deliveries while GitHub and the model answer nothing; the process is killed at the end, and its database looked at.
 */
export async function stalledFindings([name, open]: NamedDatabase, seconds: number): Promise<readonly Finding[]> {
  const steady = await sendStalled(open, 200, seconds);
  const burst = await sendStalled(open, 1_000, 5);
  const slow = quantile(steady.times, 0.99);
  return [
    lossOf(`${name}: 200 deliveries a second for ${seconds} s, GitHub and model stalled`, steady),
    {
      what: `${name}: acknowledged then, p99`,
      measured: `${slow.toFixed(0)} ms (median ${quantile(steady.times, 0.5).toFixed(0)})`,
      goal: `under ${GOAL_P99_MS} ms`,
      met: slow < GOAL_P99_MS,
    },
    lossOf(`${name}: 1,000 deliveries a second for 5 s`, burst),
  ];
}

type Sent = Answered & { readonly lost: number };

async function sendStalled(open: NamedDatabase[1], perSecond: number, seconds: number): Promise<Sent> {
  const scene = await openScene(open);
  try {
    const replica = scene.replica();
    await startReady(replica);
    stall(scene.site);
    const to = { url: replica.url() ?? '', secret: scene.site.github.app.webhookSecret };
    // A process that has just begun compiles what it runs for the first time.
    await sendAtRate(to, 100, 3);
    const answered = await sendAtRate(to, perSecond, seconds);
    await replica.stop('SIGKILL');
    const kept = await onDatabase(scene.database, async ({ db }) => {
      const rows = await db.selectFrom('inbox').select('delivery_id').execute();
      return new Set(rows.map((row) => row.delivery_id));
    });
    return { ...answered, lost: answered.ids.filter((id) => !kept.has(id)).length };
  } finally {
    await scene.close();
  }
}

/** Lost is what was acknowledged and is not there; what was refused GitHub shows as failed, and a sweep finds it. */
function lossOf(what: string, { ids, refused, lost, times }: Sent): Finding {
  const took = `slowest ${quantile(times, 1).toFixed(0)} ms`;
  return {
    what,
    measured: `${ids.length} acknowledged, ${refused} refused, ${lost} lost (${took})`,
    goal: 'none refused, none lost',
    met: refused === 0 && lost === 0,
  };
}
