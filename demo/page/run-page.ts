import type { ChildProcess } from 'node:child_process';
import process from 'node:process';
import { StartupError } from '../../src/app/app-identity.ts';
import { DemoEndedError } from '../ended.ts';
import type { PullSource } from '../local-repository.ts';
import type { DemoOptions } from '../options.ts';
import { createExamplePull } from '../scenes/example.ts';
import type { Scene } from '../scenes/scenes.ts';
import { escapeForTerminal, type Terminal } from '../terminal.ts';
import { openBrowser } from './app-control.ts';
import { servePage } from './server.ts';
import { type Session, startSession } from './session.ts';

type PageRun = {
  /** Null for the stories alone. */
  readonly own: PullSource | null;
  readonly options: DemoOptions;
  readonly terminal: Terminal;
  readonly interrupted: Promise<never>;
  /** The App's process, which waits for its settings. */
  readonly app: ChildProcess;
};

/** Serves the page until an interrupt. Resolves with the exit code. */
export async function runPage({ own, options, terminal, interrupted, app }: PageRun): Promise<number> {
  const { printLine, paint } = terminal;
  const session = await startSession(options.model, app);
  try {
    const server = await serveOrEnd(session, ownScene(own, options.model), options.port);
    try {
      printLine(`Open ${paint('bold', server.url)} in a browser. Ctrl+C ends it.`);
      if (options.open) openBrowser(server.url, process.platform);
      await Promise.race([interrupted, session.ready]);
      return await interrupted;
    } finally {
      await server.close();
    }
  } catch (error) {
    if (error instanceof StartupError) throw new DemoEndedError(error.message, 2);
    if (error instanceof DemoEndedError && error.exitCode === 130) return 0;
    throw error;
  } finally {
    await session.close();
  }
}

async function serveOrEnd(session: Session, own: Scene | null, port: number) {
  try {
    return await servePage(session, own, port);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    throw isTaken ? new DemoEndedError(`port ${port} is taken. Give another one with --port, or none.`, 2) : error;
  }
}

/** The person's own repository as a scene without steps; a real model gets the example if there is none. */
function ownScene(given: PullSource | null, model: string | null): Scene | null {
  const own = given ?? (model === null ? null : createExamplePull());
  if (own === null) return null;
  const { name, title, description, base, head } = own;
  return {
    id: 'own',
    title: escapeForTerminal(title),
    why: `A pull request from ${escapeForTerminal(description)}.`,
    repository: name,
    pullTitle: title,
    pullBody: `From ${description}.`,
    ...{ base, head, script: null, steps: [], test: null },
    note:
      model === null
        ? 'The script proposes to remove unused imports, typos and stray white space. It cannot code: start the demo with --model NAME for that.'
        : '',
  };
}
