/** Kills real processes of the App and reports lost and duplicated work; see `npm run chaos -- --help`. */
import process from 'node:process';
import { runCommand } from '../../src/cli/options.ts';
import { pluralize } from '../../src/lib/format.ts';
import { CHAOS_COMMAND, type ChaosOptions } from './options.ts';
import { type ChaosResult, runChaos } from './run-chaos.ts';

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

process.exitCode = await runCommand(CHAOS_COMMAND, process.argv.slice(2), runAndReport);

async function runAndReport(options: ChaosOptions): Promise<number> {
  const { seconds, pulls, replicas, seed, server } = options;
  const setup = `${replicas === 1 ? 'one process' : `${replicas} processes`} on ${server === null ? 'an embedded database' : 'PostgreSQL'}`;
  printLine(`${seconds} s, ${pluralize(pulls, 'pull request')}, ${setup}, seed ${seed}`);
  const result = await runChaos(options, (line) => process.stderr.write(`${line}\n`));
  printReport(result);
  return result.verdict.problems.length + result.faults.problems.length === 0 ? 0 : 1;
}

function printReport({ verdict, faults, deliveries }: ChaosResult): void {
  const { tasks, proposals, approved, denied, commits } = verdict;
  const readyMs = faults.readyMs.toSorted((left, right) => left - right);
  const readySeconds = (part: number): string =>
    ((readyMs[Math.floor((readyMs.length - 1) * part)] ?? 0) / 1000).toFixed(1);
  printLine(
    `processes killed ${faults.kills}, terminated ${faults.terminations}, paused ${faults.hangs}; database unavailable ${faults.restarts}`,
  );
  printLine(`restarts: ready after ${readySeconds(0.5)} s (median), ${readySeconds(1)} s (longest)`);
  printLine(`webhooks sent ${deliveries.sent}, of these duplicated ${deliveries.duplicated}, lost ${deliveries.lost}`);
  printLine(`tasks ${tasks}, proposals ${proposals}, approved ${approved}, denied ${denied}, committed ${commits}`);
  const problems = [...verdict.problems, ...faults.problems];
  for (const problem of problems) printLine(`PROBLEM ${problem}`);
  printLine(problems.length === 0 ? 'lost 0, duplicated 0' : pluralize(problems.length, 'problem'));
}
