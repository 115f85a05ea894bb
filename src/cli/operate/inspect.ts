import process from 'node:process';
import type { InspectedPull } from '../../adapters/store/inspect-pull.ts';
import { inOneLine, printJson, withDatabase } from '../ask.ts';
import { defineCommand, OptionsError, reportProblem, runCommand, singleArgument } from '../options.ts';
import { formatTable } from '../table.ts';

const PULL_NAME = /^([\w.-]+\/[\w.-]+)#([1-9]\d{0,9})$/;

const ARGUMENT_PROBLEM = 'Give one pull request, such as acme/shop#7.';

const INSPECT_COMMAND = defineCommand({
  name: 'countersign inspect',
  help: `Usage: countersign inspect OWNER/REPO#N [--json]

Shows one pull request as it is stored: its run, its changes, the last events with the reason of each, and the last
effects. Asks the running server, or the database that DATABASE_URL or DATA_DIR names.

  --json  for programs
  --help  print this text

Exit code: 0 on success, 1 if the pull request is unknown, 2 if the command could not begin.
`,
  options: { json: { type: 'boolean' } },
  takesArguments: true,
  read({ json = false }, positionals) {
    const [, repository, number] = PULL_NAME.exec(singleArgument(positionals, ARGUMENT_PROBLEM)) ?? [];
    if (repository === undefined) throw new OptionsError(ARGUMENT_PROBLEM);
    return { repository, number: Number(number), json };
  },
});

/** Runs `countersign inspect`. Exit code: 0, 1 (unknown pull request), or 2 (could not begin). */
export function runInspect(argv: readonly string[]): Promise<number> {
  return runCommand(INSPECT_COMMAND, argv, ({ repository, number, json }) =>
    withDatabase(INSPECT_COMMAND.name, async (ask) => {
      const pulls = await ask('inspect', { repository, number });
      if (pulls.length === 0)
        return reportProblem(INSPECT_COMMAND.name, `No pull request ${repository}#${number} is stored.`, 1);
      if (json) printJson(pulls);
      else process.stdout.write(pulls.map(formatInspectedPull).join('\n'));
      return 0;
    }),
  );
}

/** A line about the run, then tables of its changes, of events and of effects. */
function formatInspectedPull({ pull, run, queuedTasks, changes, events, effects }: InspectedPull): string {
  const queued = queuedTasks === 0 ? '' : `, ${queuedTasks} queued`;
  const eventRows = events.map(({ at, what, by, reason, attempts, error }) => [
    ...[at, what, by ?? '–', reason ?? 'waits', String(attempts), inOneLine(error ?? '', 80)],
  ]);
  const effectRows = effects.map(({ type, requestedAt, dueAt, doneAt, attempts, error }) => [
    ...[requestedAt, type, doneAt === null ? `waits until ${dueAt}` : `done ${doneAt}`, String(attempts)],
    inOneLine(error ?? '', 80),
  ]);
  return [
    formatTable([[`${pull.owner}/${pull.repo}#${pull.number}: ${describeRun(run)}${queued}`]]),
    section(['id', 'state', 'change', 'link', 'note'], changes.map(toChangeCells)),
    section(['received', 'event', 'by', 'reason', 'failures', 'error'], eventRows),
    section(['requested', 'effect', 'state', 'attempts', 'error'], effectRows),
  ].join('');
}

function toChangeCells({ id, state, what, url, note }: InspectedPull['changes'][number]): readonly string[] {
  return [id, state, inOneLine(what, 60), url ?? '–', inOneLine(note ?? '', 80)];
}

function section(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `\n${formatTable([headings, ...rows])}`;
}

function describeRun(run: InspectedPull['run']): string {
  if (run === null) return 'no run';
  const { id, task, requester, phase, responses } = run;
  const state = phase.kind === 'ended' ? `ended (${phase.reason}) at ${phase.at}` : phase.kind;
  return `run ${id} of ${requester} "${inOneLine(task, 60)}", ${state}, ${responses} responses`;
}
