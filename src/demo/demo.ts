import process from 'node:process';
import { GitFailed, GitMissing, gitText } from '../git/run-git.ts';
import { runCommand } from '../options/run-command.ts';
import { pullFiles } from '../simulator/world/pull-diff.ts';
import { StartRefused } from '../start-refused.ts';
import { checkBranch } from './check-branch.ts';
import { conclude } from './conclude.ts';
import { DemoEnded } from './demo-ended.ts';
import { diffLines } from './diff-lines.ts';
import { examplePull } from './example.ts';
import { type LoadedPull, loadPull } from './load-pull.ts';
import { type PullSource, readLocal } from './local-repository.ts';
import { openNarrator } from './narrate.ts';
import { DEMO_HELP, type DemoOptions, readOptions } from './options.ts';
import { pullOf } from './page.ts';
import { type Decision, playAll } from './play.ts';
import { scriptedAuthor } from './scripted-author.ts';
import type { Stage } from './stage.ts';
import { harmless, openTerminal, type Terminal, wantsColour } from './terminal.ts';
import type { Check } from './verify.ts';

const TASK = 'Please tidy up what this pull request touches, and whatever small things you find next to it.';

/**
 * The `demo` command. Ends with 0 when the branch holds exactly what was approved, 1 when it does not or something
 * failed, 2 for options or a repository that cannot be used, 130 when it was interrupted.
 */
export function runDemo(argv: readonly string[]): Promise<number> {
  return runCommand({ name: 'countersign demo', help: DEMO_HELP }, readOptions(argv), (options) => {
    const terminal = openTerminal((text) => process.stdout.write(text), wantsColour(process.stdout));
    return untilInterrupted((interrupted) => show(options, terminal, interrupted));
  });
}

/** Runs until the end or until a signal comes; either way everything is closed before it resolves. */
async function untilInterrupted(run: (interrupted: Promise<never>) => Promise<number>): Promise<number> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {});
  const interrupt = (): void => reject(new DemoEnded('Interrupted.', 130));
  // npm passes on what the terminal has sent already: a second one must not end the process amid its cleaning up.
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  // Whoever reads the output may stop reading.
  process.stdout.on('error', interrupt);
  try {
    return await run(promise);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`countersign demo: ${harmless(reason)}\n`);
    return error instanceof DemoEnded ? error.exitCode : 1;
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    process.stdout.off('error', interrupt);
  }
}

async function show(options: DemoOptions, terminal: Terminal, interrupted: Promise<never>): Promise<number> {
  const began = Date.now();
  if (!options.auto) terminal.line('For now the demo plays all sides by itself (as with --auto).');
  const source = await sourceOf(options, terminal);
  terminal.line(terminal.paint('dim', 'Starting a simulated GitHub, the App and its embedded database …'));
  const stage = await open(options.model);
  try {
    return await Promise.race([interrupted, playOn(stage, source, options, terminal, began)]);
  } finally {
    await stage.close();
  }
}

async function open(model: string | null): Promise<Stage> {
  try {
    // Loaded only now: a wrong option should not wait for a database to load.
    const { openStage } = await import('./stage.ts');
    return await openStage(model);
  } catch (error) {
    throw error instanceof StartRefused ? new DemoEnded(error.message, 2) : error;
  }
}

async function sourceOf({ repo, base }: DemoOptions, terminal: Terminal): Promise<PullSource> {
  try {
    await gitText(['--version']);
    if (repo === null) return examplePull();
    const read = await readLocal(repo, base);
    if (read.kind === 'source') return read.source;
    if (read.kind === 'unreadable') throw new DemoEnded(read.why, 2);
    terminal.line(
      `${harmless(read.why)}, so there is nothing to make a pull request of. Here is the built-in example instead.`,
    );
    return examplePull();
  } catch (error) {
    throw error instanceof GitMissing
      ? new DemoEnded(`${error.message} Without it nothing can be verified.`, 1)
      : error;
  }
}

async function playOn(
  stage: Stage,
  source: PullSource,
  options: DemoOptions,
  terminal: Terminal,
  began: number,
): Promise<number> {
  const { github, model } = stage;
  const loaded = loadPull(github, source);
  await stage.settle();
  const author = model === null ? null : scriptedAuthor(diffLines(github, loaded));
  if (author !== null) model?.otherwise(author.answer);
  introduce(stage, loaded, source, terminal);
  const narrator = openNarrator(terminal);
  const task = options.task ?? TASK;
  const decisions = await playAll({ stage, loaded, narrator, task, plan: author?.plan ?? null });
  if (!decisions.some(({ verdict }) => verdict === 'pressed'))
    narrator.step(
      '\nNo change could be a suggestion on this pull request’s diff, so nobody pressed Commit suggestion.',
    );
  const checks = await verify(stage, loaded, source, decisions);
  return conclude(checks, decisions, terminal, (Date.now() - began) / 1000);
}

function introduce({ github }: Stage, loaded: LoadedPull, source: PullSource, { line, paint }: Terminal): void {
  const files = pullFiles(github.world().store, pullOf(github, loaded));
  const changed = `${files.length} ${files.length === 1 ? 'file' : 'files'}`;
  line();
  line(paint('bold', `${harmless(source.title)} #${loaded.number}`));
  line(
    paint(
      'dim',
      `carl wants to merge 1 commit into ${loaded.fullName}:main (${changed} changed; from ${harmless(source.origin)})`,
    ),
  );
}

async function verify(
  { github }: Stage,
  loaded: LoadedPull,
  source: PullSource,
  decisions: readonly Decision[],
): Promise<readonly Check[]> {
  try {
    return await checkBranch(github, loaded, source, decisions);
  } catch (error) {
    if (error instanceof GitFailed) throw new DemoEnded(`git refuses the branch: ${error.message}`, 1);
    throw error;
  }
}
