/** Kills real processes of the App and counts what was lost and what was done twice; `npm run chaos -- --help`. */
import process from 'node:process';
import { ChaosRefused, type ChaosResult, playChaos } from '../src/chaos/chaos.ts';
import { CHAOS_HELP, type ChaosOptions, type ChaosPlace, readOptions } from '../src/chaos/options.ts';
import { refuse, runCommand } from '../src/options/run-command.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const NAME = 'npm run chaos';
const WHERE: Readonly<Record<ChaosPlace['kind'], string>> = {
  embedded: 'on an embedded database',
  server: 'on PostgreSQL',
  'killed-server': 'on PostgreSQL, which is killed too',
};

process.exitCode = await runCommand({ name: NAME, help: CHAOS_HELP }, readOptions(process.argv.slice(2)), (options) =>
  play(options).catch((error: unknown) => {
    if (error instanceof ChaosRefused) return refuse(NAME, error.message);
    throw error;
  }),
);

async function play(options: ChaosOptions): Promise<number> {
  const { seconds, pulls, replicas, seed, database } = options;
  const where = `${replicas === 1 ? 'one process' : `${replicas} processes`} ${WHERE[database.kind]}`;
  say(`${seconds} s, ${pulls} pull requests, ${where}, seed ${seed}`);
  const result = await playChaos(options, (line) => process.stderr.write(`${line}\n`));
  report(result);
  return result.verdict.wrong.length + result.blows.wrong.length === 0 ? 0 : 1;
}

function report({ verdict, blows, deliveries, forgotten }: ChaosResult): void {
  const { tasks, proposals, approved, denied, commits, wrong } = verdict;
  const ready = blows.ready.toSorted((left, right) => left - right);
  const at = (part: number): string => ((ready[Math.floor((ready.length - 1) * part)] ?? 0) / 1000).toFixed(1);
  const away =
    forgotten === null
      ? `database away ${blows.restarts}`
      : `database server killed ${blows.restarts}, ${forgotten} times with commits that had not waited for the disk`;
  say(`processes killed ${blows.kills}, ended ${blows.ends}, stopped for a while ${blows.hangs}; ${away}`);
  say(`started anew: ready after ${at(0.5)} s (median), ${at(1)} s (longest)`);
  say(
    `webhooks sent ${deliveries.sent}, of them to two processes at once ${deliveries.doubled}, taken by nobody ${deliveries.lost}`,
  );
  say(`tasks ${tasks}, proposals ${proposals}, approved ${approved}, denied ${denied}, committed ${commits}`);
  const problems = [...wrong, ...blows.wrong];
  for (const problem of problems) say(`WRONG ${problem}`);
  say(problems.length === 0 ? 'lost 0, doubled 0' : `${problems.length} things went wrong`);
}
