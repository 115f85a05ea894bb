import process from 'node:process';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { listPullFileDiffs } from '../fakes/github/state/commits.ts';
import { StartupError } from '../src/app/app-identity.ts';
import { GitError, GitNotInstalledError, gitText } from '../src/cli/git/run-git.ts';
import { type OptionsResult, optionsProblem, parseOptions, runCommand } from '../src/cli/options.ts';
import { createExamplePull } from './example.ts';
import { type PullSource, readLocalRepository } from './local-repository.ts';
import { createNarrator, createTerminal, escapeForTerminal, supportsColor, type Terminal } from './narrator.ts';
import { type DemoDecision, playRounds } from './play.ts';
import { type DemoPull, demoPullOf, listHunkLines, openDemoPull } from './pull-request.ts';
import { createScriptedAgent } from './script.ts';
import type { DemoStage } from './stage.ts';
import { exportAndVerify, type VerifiedRow } from './verify.ts';

const DEFAULT_TASK = 'Please tidy up what this pull request touches, and any small issues you find nearby.';

/**
 * The `demo` command. Exit codes: 0 when the branch holds exactly the approved changes, 1 when it does not or the demo
 * failed, 2 for wrong options or an unusable repository, 130 after an interrupt.
 */
export function runDemo(argv: readonly string[]): Promise<number> {
  return runCommand({ name: 'countersign demo', help: DEMO_HELP }, parseDemoOptions(argv), (options) => {
    const terminal = createTerminal((text) => process.stdout.write(text), supportsColor(process.stdout));
    return runUntilInterrupted((interrupted) => runOnStage(options, terminal, interrupted));
  });
}

async function runUntilInterrupted(run: (interrupted: Promise<never>) => Promise<number>): Promise<number> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const interrupt = (): void => reject(new DemoEndedError('Interrupted.', 130));
  // npm repeats the terminal's signal, and the second one must not end the process during cleanup.
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  // The reader of a pipe can close it.
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

async function runOnStage(options: DemoOptions, terminal: Terminal, interrupted: Promise<never>): Promise<number> {
  const startedAt = Date.now();
  if (!options.auto) terminal.printLine('The demo plays every person itself for now, as with --auto.');
  const source = await loadSource(options, terminal);
  terminal.printLine(terminal.paint('dim', 'Starting a fake GitHub, the App and its embedded database …'));
  const stage = await openStageOrEnd(options.model);
  try {
    return await Promise.race([interrupted, playDemo(stage, source, options, terminal, startedAt)]);
  } finally {
    await stage.close();
  }
}

async function openStageOrEnd(model: string | null): Promise<DemoStage> {
  try {
    // Loaded lazily, so that a wrong option fails before the database loads.
    const { openDemoStage } = await import('./stage.ts');
    return await openDemoStage(model);
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
    terminal.printLine(
      `${escapeForTerminal(result.reason)}, so there is no change for a pull request. Using the built-in example instead.`,
    );
    return createExamplePull();
  } catch (error) {
    throw error instanceof GitNotInstalledError
      ? new DemoEndedError(`${error.message} The demo needs git to verify the branch.`, 1)
      : error;
  }
}

async function playDemo(
  stage: DemoStage,
  source: PullSource,
  options: DemoOptions,
  terminal: Terminal,
  startedAt: number,
): Promise<number> {
  const { github, model } = stage;
  const demoPull = openDemoPull(github, source);
  await stage.waitUntilIdle();
  const agent = model === null ? null : createScriptedAgent(listHunkLines(github, demoPull));
  if (agent !== null) model?.setFallback(agent.answer);
  printHeader(stage, demoPull, source, terminal);
  const narrator = createNarrator(terminal);
  const task = options.task ?? DEFAULT_TASK;
  const decisions = await playRounds({ stage, demoPull, narrator, task, plan: agent?.plan ?? null });
  if (!decisions.some(({ outcome }) => outcome === 'suggestion-committed'))
    narrator.printNote('\nNo change fits this pull request’s diff as a suggestion, so Commit suggestion was not used.');
  const checks = await verifyOrEnd(stage, demoPull, source, decisions);
  return printConclusion(checks, decisions, terminal, (Date.now() - startedAt) / 1000);
}

function printHeader(
  { github }: DemoStage,
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
  { github }: DemoStage,
  demoPull: DemoPull,
  source: PullSource,
  decisions: readonly DemoDecision[],
): Promise<readonly VerifiedRow[]> {
  try {
    return await exportAndVerify(github, demoPull, source, decisions);
  } catch (error) {
    if (error instanceof GitError) throw new DemoEndedError(`git refuses the branch: ${error.message}`, 1);
    throw error;
  }
}

/**
 * Prints the checks and returns exit code 0. Throws `DemoEndedError` when a check failed or no change was approved.
 */
export function printConclusion(
  checks: readonly VerifiedRow[],
  decisions: readonly DemoDecision[],
  { printLine, paint }: Terminal,
  seconds: number,
): number {
  printLine();
  printLine(paint('bold', 'Verified with git from the objects of the branch alone:'));
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
    throw new DemoEndedError(`the branch is not what was approved (${problems} of ${checks.length} checks failed).`, 1);
  if (approved === 0) throw new DemoEndedError('no change was approved, so there is nothing to verify.', 1);
  const changes = approved === 1 ? 'one approved change' : `${approved} approved changes`;
  printLine(`The branch holds exactly the ${changes}. ${seconds.toFixed(1)} s.`);
  return 0;
}

/** Pads the cells so that the columns line up. */
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

/** The options of the command; null for an option that is not given. */
export type DemoOptions = {
  /** Path of a local git repository; null plays the built-in example. */
  readonly repo: string | null;
  /** The commit to compare HEAD with; null is its first parent. */
  readonly base: string | null;
  readonly task: string | null;
  /** Name of a real model; null plays a script. */
  readonly model: string | null;
  readonly auto: boolean;
};

export const DEMO_HELP = `Usage: countersign demo [options]

Plays one run of the whole App on a fake GitHub, then checks with git that the branch
holds exactly the approved changes.

  --repo PATH   a local git repository: its last commit becomes the pull request
                (without it, a small built-in example)
  --base REF    with --repo: the commit to compare HEAD with (default: its first parent)
  --task TEXT   the task for the agent
  --model NAME  a real model, reached with OPENAI_API_KEY and OPENAI_BASE_URL
                (without it, a script plays the model and nothing leaves this machine)
  --auto        play every person: they ask, approve, deny and give instructions
  --help        this text
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

/** Ends the demo early; the message is one line that says why. */
export class DemoEndedError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}
