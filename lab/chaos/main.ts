/** Kills real processes of the App and counts what was lost and what was done twice; `npm run chaos -- --help`. */
import process from 'node:process';
import { reportProblem, runCommand } from '../../src/cli/options.ts';
import { CHAOS_HELP, type ChaosDatabaseChoice, type ChaosOptions, readChaosOptions } from './options.ts';
import { type ChaosResult, ChaosSetupError, runChaos } from './run-chaos.ts';

const printLine = (line: string): void => void process.stdout.write(`${line}\n`);

const COMMAND_NAME = 'npm run chaos';

const DATABASE_TEXT: Readonly<Record<ChaosDatabaseChoice['kind'], string>> = {
  embedded: 'on an embedded database',
  server: 'on PostgreSQL',
  'killed-server': 'on PostgreSQL, which is killed too',
};

process.exitCode = await runCommand(
  { name: COMMAND_NAME, help: CHAOS_HELP },
  readChaosOptions(process.argv.slice(2)),
  (options) =>
    runAndReport(options).catch((error: unknown) => {
      if (error instanceof ChaosSetupError) return reportProblem(COMMAND_NAME, error.message);
      throw error;
    }),
);

async function runAndReport(options: ChaosOptions): Promise<number> {
  const { seconds, pulls, replicas: appProcesses, seed, database } = options;
  const where = `${appProcesses === 1 ? 'one process' : `${appProcesses} processes`} ${DATABASE_TEXT[database.kind]}`;
  printLine(`${seconds} s, ${pulls} pull requests, ${where}, seed ${seed}`);
  const result = await runChaos(options, (line) => process.stderr.write(`${line}\n`));
  printReport(result, database.kind === 'killed-server');
  return result.verdict.problems.length + result.faults.problems.length === 0 ? 0 : 1;
}

function printReport({ verdict, faults: faultCounts, deliveries }: ChaosResult, killsServer: boolean): void {
  const { tasks, proposals, approved, denied, commits, problems: wrong } = verdict;
  const ready = faultCounts.readyMs.toSorted((left, right) => left - right);
  const at = (part: number): string => ((ready[Math.floor((ready.length - 1) * part)] ?? 0) / 1000).toFixed(1);
  const database = `${killsServer ? 'database server killed' : 'database unavailable'} ${faultCounts.restarts}`;
  printLine(
    `processes killed ${faultCounts.kills}, ended ${faultCounts.terminations}, paused ${faultCounts.hangs}; ${database}`,
  );
  printLine(`started anew: ready after ${at(0.5)} s (median), ${at(1)} s (longest)`);
  printLine(
    `webhooks sent ${deliveries.sent}, of them to two processes at once ${deliveries.duplicated}, taken by nobody ${deliveries.lost}`,
  );
  printLine(`tasks ${tasks}, proposals ${proposals}, approved ${approved}, denied ${denied}, committed ${commits}`);
  const problems = [...wrong, ...faultCounts.problems];
  for (const problem of problems) printLine(`WRONG ${problem}`);
  printLine(problems.length === 0 ? 'lost 0, doubled 0' : `${problems.length} things went wrong`);
}
