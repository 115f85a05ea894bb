import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { inject } from 'vitest';
import { runDemo } from '../../demo/command/main.ts';
import { runHere } from '../support/run-here.ts';

type CommandResult = { readonly code: number | null; readonly output: string; readonly errors: string };

const cli = join(import.meta.dirname, '../../bin/countersign.js');

/** Runs `countersign demo` in a process. Sends SIGINT when the output contains `interruptAt`. */
export function runDemoCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  interruptAt?: string,
): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>();
  const compiled = { NODE_COMPILE_CACHE: inject('compiledCode') };
  const env = { ...process.env, FORCE_COLOR: undefined, NO_COLOR: undefined, ...compiled, ...environment };
  const child = spawn(process.execPath, [cli, 'demo', ...args], { env });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString('utf8');
    // Sends several signals, like npm.
    if (interruptAt !== undefined && output.includes(interruptAt)) child.kill('SIGINT');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString('utf8');
  });
  child.on('close', (code) => resolve({ code, output, errors }));
  return promise;
}

/** Runs `countersign demo` in this process. */
export async function runDemoHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const { code, stdout, stderr } = await runHere(() => runDemo(args), { NO_COLOR: '1', ...environment });
  return { code, output: stdout, errors: stderr };
}
