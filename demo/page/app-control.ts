import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { StartupError } from '../../src/app/app-identity.ts';
import type { AppMessage, ParentMessage } from './app-messages.ts';

export type AppState = 'starting' | 'running' | 'killed';

/** The App's process. It can be killed at any moment, and started again on the same database. */
export type AppControl = {
  readonly state: () => AppState;
  readonly pid: () => number | null;
  /** Resolves with the address that takes webhooks. Throws `StartupError`. */
  readonly start: () => Promise<string>;
  /** Kills it without a warning (SIGKILL). Resolves when it is dead. */
  readonly kill: () => Promise<void>;
  /** Sets its clock ahead of the machine's (ms). */
  readonly setClock: (ahead: number) => void;
};

/** Begins a process that loads the App's code, and waits for its settings. */
export function forkApp(): ChildProcess {
  return fork(new URL('./app-process.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Creates the control of a process that has begun, with these settings. All messages of the process are passed on. */
export function createAppControl(
  first: ChildProcess,
  environment: Readonly<Record<string, string>>,
  onMessage: (message: AppMessage) => void,
): AppControl {
  let child: ChildProcess | null = first;
  let state: AppState = 'starting';
  let ahead = 0;
  const send = (message: ParentMessage): void => void (child?.connected === true && child.send(message));
  return {
    state: () => state,
    pid: () => child?.pid ?? null,
    start: async () => {
      state = 'starting';
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const started = child ?? forkApp();
      child = started;
      const end = (): void => {
        if (child === started) child = null;
        reject(new StartupError('The App ended while it started.'));
      };
      started.on('message', (message: AppMessage) => {
        if (message.kind === 'listening') resolve(message.url);
        else if (message.kind === 'problem') reject(new StartupError(message.text));
        else onMessage(message);
      });
      if (started.connected) started.once('exit', end);
      else end();
      send({ environment, ahead });
      const url = await promise;
      state = 'running';
      return url;
    },
    kill: async () => {
      const running = child;
      state = 'killed';
      child = null;
      if (running === null || running.exitCode !== null) return;
      const exited = once(running, 'exit');
      running.kill('SIGKILL');
      await exited;
    },
    setClock: (given) => {
      ahead = given;
      send({ ahead });
    },
  };
}

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens the address in the person's browser, where there is one. */
export function openBrowser(url: string, platform: string): void {
  const [command = 'xdg-open', ...args] = OPENERS[platform] ?? [];
  const opener = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
