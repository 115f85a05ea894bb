import { enableCompileCache } from 'node:module';
import process from 'node:process';
import { GitNotInstalledError, gitText } from '../../src/cli/git/run-git.ts';
import { runCommand } from '../../src/cli/options.ts';
import { DemoEndedError } from '../ended.ts';
import { type PullSource, readLocalRepository } from '../local-repository.ts';
import { DEMO_COMMAND, type DemoOptions } from '../options.ts';
import { createExamplePull } from '../scenes/example.ts';
import { createTerminal, escapeForTerminal, supportsColor, type Terminal } from '../terminal.ts';

/**
 * The `demo` command: the page in a browser, or a run that plays alone. Exit codes: 0 if the page was closed or the
 * branch has exactly the approved changes, 1 if it does not or the demo failed, 2 for wrong options or an unusable
 * repository, 130 after an interrupt of a run.
 */
export function runDemo(argv: readonly string[]): Promise<number> {
  return runCommand(DEMO_COMMAND, argv, (options) => {
    const terminal = createTerminal((text) => process.stdout.write(text), supportsColor(process.stdout));
    return runUntilInterrupted((interrupted) => play(options, terminal, interrupted));
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

async function play(options: DemoOptions, terminal: Terminal, interrupted: Promise<never>): Promise<number> {
  const startedAt = Date.now();
  enableCompileCache();
  const own = await loadSource(options, terminal);
  if (!options.auto && process.stdout.isTTY) {
    // The App's process loads its code while this one loads the page's.
    const { forkApp } = await import('../page/app-control.ts');
    const app = forkApp();
    try {
      const { runPage } = await import('../page/run-page.ts');
      return await runPage({ own, options, terminal, interrupted, app });
    } finally {
      app.kill();
    }
  }
  const { playAlone } = await import('./auto.ts');
  const source = own ?? createExamplePull();
  return playAlone({ source, isExample: own === null, options, terminal, startedAt }, interrupted);
}

/** Null for the built-in example. */
async function loadSource({ repo, base }: DemoOptions, terminal: Terminal): Promise<PullSource | null> {
  try {
    await gitText(['--version']);
    if (repo === null) return null;
    const result = await readLocalRepository(repo, base);
    if (result.kind === 'source') return result.source;
    if (result.kind === 'unreadable') throw new DemoEndedError(result.reason, 2);
    terminal.printLine(`No pull request is possible: ${escapeForTerminal(result.reason)}. Using the built-in example.`);
    return null;
  } catch (error) {
    throw error instanceof GitNotInstalledError
      ? new DemoEndedError(`${error.message} The demo needs git to verify the branch.`, 1)
      : error;
  }
}
