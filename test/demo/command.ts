import { spawn } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { inject } from 'vitest';
import { runDemo } from '../../demo/command/main.ts';
import { run } from '../cli/process.ts';
import { runHere } from '../support/run-here.ts';

type CommandResult = { readonly code: number | null; readonly output: string; readonly errors: string };

/** The program of this checkout, which `npm run demo` starts. */
const CHECKOUT = join(import.meta.dirname, '../../bin/countersign.js');

/** Names each parser that Node reads. */
const TOLD_PARSERS = `import fs from 'node:fs/promises'; import { syncBuiltinESMExports } from 'node:module';
const { readFile } = fs; fs.readFile = (path, ...more) => {
  if (String(path).endsWith('.wasm')) process.stderr.write(String(path).split('/').at(-1) + '\\n');
  return readFile(path, ...more);
}; syncBuiltinESMExports();`;

/** Runs `countersign demo` of the installed package. Its errors name the parsers that it reads, a line each. */
export async function runInstalledDemo(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const node = ['--import', `data:text/javascript,${encodeURIComponent(TOLD_PARSERS)}`];
  const { code, stdout, stderr } = await run(
    ['demo', ...args],
    { PATH: process.env['PATH'] ?? '', ...environment },
    undefined,
    node,
  ).ended;
  return { code, output: stdout, errors: stderr };
}

/** Runs `countersign demo` of this checkout in a process. Sends SIGINT when the output contains `interruptAt`. */
export function runDemoCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  interruptAt?: string,
): Promise<CommandResult> {
  const { promise, resolve } = Promise.withResolvers<CommandResult>();
  const compiled = { NODE_COMPILE_CACHE: inject('compiledCode') };
  const env = { ...process.env, FORCE_COLOR: undefined, NO_COLOR: undefined, ...compiled, ...environment };
  const child = spawn(process.execPath, [CHECKOUT, 'demo', ...args], { env });
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
