import { type ChildProcess, spawn } from 'node:child_process';
import process from 'node:process';
import { inject } from 'vitest';
import { installedPackage } from '../support/installed-package.ts';

const { program: installed } = await installedPackage();

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };
export type Running = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves with the first line of standard output that contains `words`; rejects if the process ends before. */
  line(words: string): Promise<string>;
};

/** Starts the command as a separate process with only these environment variables. */
export function run(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  cwd?: string,
  /** Options of Node itself. */
  node: readonly string[] = [],
  program: string = installed,
): Running {
  const env = { ...environment, NODE_COMPILE_CACHE: inject('compiledCode') };
  const child = spawn(process.execPath, [...node, program, ...args], { env, ...(cwd === undefined ? {} : { cwd }) });
  let stdout = '';
  let stderr = '';
  const { promise, resolve } = Promise.withResolvers<Ended>();
  child.stdout.on('data', (bytes: Buffer) => {
    stdout += bytes.toString();
  });
  child.stderr.on('data', (bytes: Buffer) => {
    stderr += bytes.toString();
  });
  child.on('close', (code) => resolve({ code, stdout, stderr }));
  const line = (words: string): Promise<string> => {
    const found = Promise.withResolvers<string>();
    const look = (): void => {
      const match = stdout.split('\n').find((text) => text.includes(words));
      if (match !== undefined) found.resolve(match);
    };
    child.stdout.on('data', look);
    promise.then((ended) => found.reject(new Error(`ended before "${words}": ${JSON.stringify(ended)}`)));
    look();
    return found.promise;
  };
  return { child, ended: promise, line };
}
