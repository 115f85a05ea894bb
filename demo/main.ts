import process from 'node:process';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { listPullFileDiffs } from '../fakes/github/state/commits.ts';
import { StartupError } from '../src/app/app-identity.ts';
import { GitError, GitNotInstalledError, gitText } from '../src/cli/git/run-git.ts';
import { type OptionsResult, optionsProblem, parseOptions, runCommand } from '../src/cli/options.ts';
import type { DemoEnvironment } from './environment.ts';
import { createExamplePull } from './example.ts';
import { type PullSource, readLocalRepository } from './local-repository.ts';
import { createPagePrinter, createTerminal, escapeForTerminal, supportsColor, type Terminal } from './page-printer.ts';
import { type DemoPull, demoPullOf, listHunkLines, openDemoPull } from './pull-request.ts';
import { type DemoDecision, playRounds } from './rounds.ts';
import { createScriptedAgent } from './script.ts';
import { exportAndVerify, type VerifiedRow } from './verify.ts';

const DEFAULT_TASK = 'Please tidy up the lines that this pull request changes, and any small issues you find nearby.';

/**
 * The `demo` command. Exit codes: 0 if the branch has exactly the approved changes, 1 if it does not or the demo
 * failed, 2 for wrong options or an unusable repository, 130 after an interrupt.
 */
export function runDemo(argv: readonly string[]): Promise<number> {
  return runCommand({ name: 'countersign demo', help: DEMO_HELP }, parseDemoOptions(argv), (options) => {
    const terminal = createTerminal((text) => process.stdout.write(text), supportsColor(process.stdout));
    return runUntilInterrupted((interrupted) => runInEnvironment(options, terminal, interrupted));
  });
}

async function runUntilInterrupted(run: (interrupted: Promise<never>) => Promise<number>): Promise<number> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const interrupt = (): void => reject(new DemoEndedError('Interrupted.', 130));
  // npm repeats the terminal's signal. The second signal must not end the process during cleanup.
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  // A closed pipe, as in `countersign demo | head`, also ends the demo.
  process.stdout.on('error', interrupt);
  try {
    return await run(promise);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`countersign demo: ${escapeForTerminal(reason)}\n`);
    return error instanceof DemoEndedError ? error.exitCode : 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    process.stdout.off('error', interrupt);
  }
}

async function runInEnvironment(
  options: DemoOptions,
  terminal: Terminal,
  interrupted: Promise<never>,
): Promise<number> {
  const startedAt = Date.now();
  const source = await loadSource(options, terminal);
  printIntroduction(options, terminal);
  terminal.printLine(terminal.paint('dim', 'Starting the fake GitHub, the App and its embedded database …'));
  const environment = await startEnvironmentOrEnd(options.model);
  try {
    return await Promise.race([interrupted, playDemo(environment, source, options, terminal, startedAt)]);
  } finally {
    await environment.close();
  }
}

function printIntroduction({ model }: DemoOptions, { printLine }: Terminal): void {
  printLine('This demo shows one run of the real App on a fake GitHub.');
  printLine(
    model === null
      ? 'A script plays the model and all people, so nothing leaves this machine.'
      : 'A script plays all people, so only the requests to the model leave this machine.',
  );
  printLine('Carl has opened a pull request. Ana gives the agent a task.');
  printLine('Ana and Ben decide on each change that the agent proposes.');
}

async function startEnvironmentOrEnd(model: string | null): Promise<DemoEnvironment> {
  try {
    // Loaded lazily, so that a wrong option fails before the database loads.
    const { startDemoEnvironment } = await import('./environment.ts');
    return await startDemoEnvironment(model);
  } catch (error) {
    throw error instanceof StartupError ? new DemoEndedError(error.message, 2) : error;
  }
}

async function loadSource({ repo, base }: DemoOptions, terminal: Terminal): Promise<PullSource> {
  try {
    await gitText(['--version']);
    if (repo === null) return createExamplePull();
    const result = await readLocalRepository(repo, base);
    if (result.kind === 'source') return result.source;
    if (result.kind === 'unreadable') throw new DemoEndedError(result.reason, 2);
    terminal.printLine(`No pull request is possible: ${escapeForTerminal(result.reason)}. Using the built-in example.`);
    return createExamplePull();
  } catch (error) {
    throw error instanceof GitNotInstalledError
      ? new DemoEndedError(`${error.message} The demo needs git to verify the branch.`, 1)
      : error;
  }
}

async function playDemo(
  environment: DemoEnvironment,
  source: PullSource,
  options: DemoOptions,
  terminal: Terminal,
  startedAt: number,
): Promise<number> {
  const { github, model } = environment;
  const demoPull = openDemoPull(github, source);
  await environment.waitUntilIdle();
  const agent = model === null ? null : createScriptedAgent(listHunkLines(github, demoPull));
  if (agent !== null) model?.setFallback(agent.answer);
  printHeader(environment, demoPull, source, terminal);
  const printer = createPagePrinter(terminal);
  const task = options.task ?? DEFAULT_TASK;
  const decisions = await playRounds({ environment, demoPull, printer, task, plan: agent?.plan ?? null });
  if (!decisions.some(({ outcome }) => outcome === 'suggestion-committed'))
    printer.printNote(
      '\nNobody used “Commit suggestion”, because no change is a suggestion on this pull request’s diff.',
    );
  const checks = await verifyOrEnd(environment, demoPull, source, decisions);
  printConclusion(checks, decisions, terminal, (Date.now() - startedAt) / 1000);
  printNextSteps(options, terminal);
  return 0;
}

function printHeader(
  { github }: DemoEnvironment,
  demoPull: DemoPull,
  source: PullSource,
  { printLine, paint }: Terminal,
): void {
  const files = listPullFileDiffs(github.state().store, demoPullOf(github, demoPull));
  const changed = `${files.length} ${files.length === 1 ? 'file' : 'files'}`;
  printLine();
  printLine(paint('bold', `${escapeForTerminal(source.title)} #${demoPull.number}`));
  printLine(
    paint(
      'dim',
      `carl wants to merge 1 commit into ${demoPull.fullName}:main (${changed} changed; from ${escapeForTerminal(source.description)})`,
    ),
  );
}

async function verifyOrEnd(
  { github }: DemoEnvironment,
  demoPull: DemoPull,
  source: PullSource,
  decisions: readonly DemoDecision[],
): Promise<readonly VerifiedRow[]> {
  try {
    return await exportAndVerify(github, demoPull, source, decisions);
  } catch (error) {
    if (error instanceof GitError) throw new DemoEndedError(`git rejected the branch: ${error.message}`, 1);
    throw error;
  }
}

/** Prints the checks. Throws `DemoEndedError` when a check failed or no change was approved. */
function printConclusion(
  checks: readonly VerifiedRow[],
  decisions: readonly DemoDecision[],
  { printLine, paint }: Terminal,
  seconds: number,
): void {
  printLine();
  printLine(paint('bold', 'Checked with git, from the commits of the branch alone:'));
  const rows = checks.map(({ subject, attribution, problem }) => [
    problem === null ? paint('green', '✓') : paint('red', '✗'),
    escapeForTerminal(subject),
    attribution,
    problem === null ? '' : paint('red', escapeForTerminal(problem)),
  ]);
  for (const row of alignColumns(rows)) printLine(`  ${row}`);
  printLine();
  const problems = checks.filter(({ problem }) => problem !== null).length;
  const approved = decisions.filter(
    ({ outcome }) => outcome === 'approved' || outcome === 'suggestion-committed',
  ).length;
  if (problems > 0)
    throw new DemoEndedError(
      `the branch differs from the approved changes: ${problems} of ${checks.length} checks failed.`,
      1,
    );
  if (approved === 0)
    throw new DemoEndedError('the agent proposed no change that was approved. Try another --task or --repo.', 1);
  const changes = approved === 1 ? 'one approved change' : `${approved} approved changes`;
  printLine(`The branch holds exactly the ${changes}. The demo took ${seconds.toFixed(1)} s.`);
}

function printNextSteps({ repo, model }: DemoOptions, { printLine, paint }: Terminal): void {
  const steps = [
    ...(repo === null ? [['See it on your own repository:', 'npm run demo -- --repo ../some/repository']] : []),
    ...(model === null ? [['Let a real model propose changes:', 'npm run demo -- --model NAME']] : []),
    ['List all options:', 'npm run demo -- --help'],
    ['Install the App:', 'see “Install” in README.md'],
  ];
  printLine();
  printLine(paint('bold', 'Next steps:'));
  for (const step of alignColumns(steps)) printLine(`  ${step}`);
}

/** Pads the cells to align the columns. */
function alignColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const length = (cell: string): number => stripVTControlCharacters(cell).length;
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => length(row[column] ?? ''))));
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - length(cell))))
      .join('  ')
      .trimEnd(),
  );
}

/** The options of the command; null for a missing option. */
type DemoOptions = {
  /** Path of a local git repository; null uses the built-in example. */
  readonly repo: string | null;
  /** The commit to compare HEAD with; null means its first parent. */
  readonly base: string | null;
  readonly task: string | null;
  /** Name of a real model; null uses a script. */
  readonly model: string | null;
  readonly auto: boolean;
};

const DEMO_HELP = `Usage: countersign demo [options]

Shows one run of the real App on a fake GitHub, then checks with git that the branch
holds exactly the approved changes.

  --repo PATH   a local git repository: its last commit becomes the pull request
                (default: a small built-in example)
  --base REF    with --repo: the commit to compare HEAD with (default: its first parent)
  --task TEXT   the task for the agent; only a real model follows it
  --model NAME  a real model, which needs OPENAI_API_KEY or OPENAI_BASE_URL
                (default: a script plays the model, and nothing leaves this machine)
  --auto        let a script play all people (always on, because the demo takes no input)
  --help        show this help
`;

const DEMO_OPTIONS = {
  repo: { type: 'string' },
  base: { type: 'string' },
  task: { type: 'string' },
  model: { type: 'string' },
  auto: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses the arguments after `countersign demo`. Never throws. */
export function parseDemoOptions(argv: readonly string[]): OptionsResult<DemoOptions> {
  const parse = () => parseArgs({ args: [...argv], options: DEMO_OPTIONS, strict: true, allowPositionals: false });
  return parseOptions('countersign demo', parse, ({ values }) => {
    const { repo = null, base = null, task = null, model = null, auto = false } = values;
    if (base !== null && repo === null) return optionsProblem('--base needs --repo.');
    return { kind: 'options', options: { repo, base, task, model, auto } };
  });
}

/** Ends the demo early. The message is one line for the user. */
class DemoEndedError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
