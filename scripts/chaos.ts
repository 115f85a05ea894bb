/** Kills real processes of the App and counts what was lost and what was done twice; `npm run chaos -- --help`. */
import process from 'node:process';
import { type ChaosResult, playChaos } from '../src/chaos/chaos.ts';
import { CHAOS_HELP, type ChaosOptions, readOptions } from '../src/chaos/options.ts';
import { runCommand } from '../src/options/run-command.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

process.exitCode = await runCommand(
  { name: 'npm run chaos', help: CHAOS_HELP },
  readOptions(process.argv.slice(2)),
  play,
);

async function play(options: ChaosOptions): Promise<number> {
  const { seconds, pulls, replicas, seed, database } = options;
  const where = database === null ? 'one process on an embedded database' : `${replicas} processes on PostgreSQL`;
  say(`${seconds} s, ${pulls} pull requests, ${where}, seed ${seed}`);
  const result = await playChaos(options, (line) => process.stderr.write(`${line}\n`));
  report(result);
  return result.verdict.wrong.length + result.blows.wrong.length === 0 ? 0 : 1;
}

function report({ verdict, blows, deliveries }: ChaosResult): void {
  const { tasks, proposals, approved, denied, commits, wrong } = verdict;
  const ready = blows.ready.toSorted((left, right) => left - right);
  const at = (part: number): string => ((ready[Math.floor((ready.length - 1) * part)] ?? 0) / 1000).toFixed(1);
  say(
    `processes killed ${blows.kills}, ended ${blows.ends}, stopped for a while ${blows.hangs}; database away ${blows.restarts}`,
  );
  say(`started anew: ready after ${at(0.5)} s (median), ${at(1)} s (longest)`);
  say(
    `webhooks sent ${deliveries.sent}, of them to two processes at once ${deliveries.doubled}, taken by nobody ${deliveries.lost}`,
  );
  say(`tasks ${tasks}, proposals ${proposals}, approved ${approved}, denied ${denied}, committed ${commits}`);
  const problems = [...wrong, ...blows.wrong];
  for (const problem of problems) say(`WRONG ${problem}`);
  say(problems.length === 0 ? 'lost 0, doubled 0' : `${problems.length} things went wrong`);
}
