#!/usr/bin/env node
// Only what every Node of the last years can read may stand or be imported here: an old one must get to the message.
import process from 'node:process';
import { closestName } from './closest-name.ts';

const OLDEST_NODE = 24;

type Command = {
  readonly summary: string;
  /** Ends with the process's exit code. */
  readonly run: (args: string[]) => Promise<number>;
  readonly available: boolean;
};

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function later(name: string, summary: string): Command {
  const run = async (): Promise<number> => {
    say(`countersign ${name} is not part of this version yet.`);
    return 2;
  };
  return { summary, run, available: false };
}

const COMMANDS = new Map<string, Command>([
  [
    'start',
    { summary: 'run the server', run: async (args) => (await import('./start.ts')).start(args), available: true },
  ],
  [
    'demo',
    {
      summary: 'show the whole App offline, on a simulated GitHub',
      run: async (args) => (await import('./demo/demo.ts')).runDemo(args),
      available: true,
    },
  ],
  ['doctor', later('doctor', 'check credentials, permissions and settings')],
  [
    'explain',
    {
      summary: 'say what a recorded delivery would lead to, and why',
      run: async (args) => (await import('./explain/explain.ts')).runExplain(args),
      available: true,
    },
  ],
  [
    'verify',
    {
      summary: 'check that commits hold exactly what people approved',
      run: async (args) => (await import('./verify/verify.ts')).runVerify(args),
      available: true,
    },
  ],
  [
    'export',
    {
      summary: 'write out who decided what',
      run: async (args) => (await import('./export/export.ts')).runExport(args),
      available: true,
    },
  ],
]);

function help(): string {
  const rows = [...COMMANDS].map(([name, { summary, available }]) => {
    return `  ${name.padEnd(9)}${summary}${available ? '' : ' (not in this version yet)'}`;
  });
  return ['Usage: countersign <command>', '', ...rows, '', 'Options: --help, --version', ''].join('\n');
}

async function print(text: string | Promise<string>): Promise<number> {
  process.stdout.write(await text);
  return 0;
}

async function versionLine(): Promise<string> {
  return `${(await import('./config/version.ts')).version()}\n`;
}

function refuseWord(word: string): number {
  const closest = closestName(word, [...COMMANDS.keys(), '--help', '--version']);
  const meant = closest === null ? '' : ` Did you mean ${closest}?`;
  say(`countersign has no command ${JSON.stringify(word)}.${meant} See countersign --help.`);
  return 2;
}

async function run([word, ...args]: string[]): Promise<number> {
  if (word === '--help' || word === '-h' || word === 'help') return print(help());
  if (word === '--version' || word === '-v') return print(versionLine());
  if (word === undefined) {
    say(help());
    return 2;
  }
  const command = COMMANDS.get(word);
  return command === undefined ? refuseWord(word) : command.run(args);
}

/** What is said into a pipe may not have left yet; a reader that is gone wants no more of it. */
async function allSaid(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.stdout.on('error', () => resolve());
  process.stdout.write('', () => resolve());
  await promise;
}

function isOldNode(): boolean {
  return Number.parseInt(process.versions.node, 10) < OLDEST_NODE;
}

if (isOldNode()) {
  say(`Countersign needs Node ${OLDEST_NODE} or newer; this is ${process.version}. See https://nodejs.org.`);
  process.exit(1);
}
const code = await run(process.argv.slice(2));
await allSaid();
process.exit(code);
