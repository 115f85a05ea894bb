import process from 'node:process';

type CliCommand = {
  readonly summary: string;
  /** Resolves with the process's exit code. */
  readonly run: (args: string[]) => Promise<number>;
};

function printError(text: string): void {
  process.stderr.write(`${text}\n`);
}

const COMMANDS: Readonly<Record<string, CliCommand>> = {
  setup: {
    summary: 'register a GitHub App of your own, and write its settings',
    run: async (args) => (await import('./cli/setup/setup.ts')).runSetup(args),
  },
  doctor: {
    summary: 'look at everything that the server needs, and say what is wrong',
    run: async (args) => (await import('./cli/doctor/doctor.ts')).runDoctor(args),
  },
  start: {
    summary: 'run the server',
    run: async (args) => (await import('./app/start.ts')).start(args),
  },
  demo: {
    summary: 'play one conversation offline, on a fake GitHub',
    run: async (args) => (await import('../demo/command/main.ts')).runDemo(args),
  },
  verify: {
    summary: 'check that commits contain exactly the approved changes',
    run: async (args) => (await import('./cli/verify/verify.ts')).runVerify(args),
  },
  config: {
    summary: 'check a settings file, and list what is in force',
    run: async (args) => (await import('./cli/config/config.ts')).runConfig(args),
  },
  pending: {
    summary: 'list the changes and questions that wait for people',
    run: async (args) => (await import('./cli/operate/pending.ts')).runPending(args),
  },
  inspect: {
    summary: 'show one pull request as it is stored',
    run: async (args) => (await import('./cli/operate/inspect.ts')).runInspect(args),
  },
  pause: {
    summary: 'pause an account or repository',
    run: async (args) => (await import('./cli/operate/pause.ts')).runPause('pause', args),
  },
  unpause: {
    summary: 'end a pause, and go on',
    run: async (args) => (await import('./cli/operate/pause.ts')).runPause('unpause', args),
  },
  migrate: {
    summary: 'say which migrations the next start would run',
    run: async (args) => (await import('./cli/operate/migrate.ts')).runMigrate(args),
  },
  report: {
    summary: 'count tasks, changes and their cost',
    run: async (args) => (await import('./cli/operate/report.ts')).runReport(args),
  },
  export: {
    summary: 'export who decided what',
    run: async (args) => (await import('./cli/export/export.ts')).runExport(args),
  },
};

function help(): string {
  const rows = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(9)}${summary}`);
  return ['Usage: countersign <command>', '', ...rows, '', 'Options: --help, --version', ''].join('\n');
}

async function print(text: string): Promise<number> {
  process.stdout.write(text);
  return 0;
}

async function refuseUnknownCommand(name: string): Promise<number> {
  const { closestName } = await import('./lib/closest-name.ts');
  const closest = closestName(name, [...Object.keys(COMMANDS), '--help', '--version']);
  const suggestion = closest === null ? '' : ` Did you mean ${closest}?`;
  printError(`countersign has no command ${JSON.stringify(name)}.${suggestion} See countersign --help.`);
  return 2;
}

async function run([name, ...args]: string[]): Promise<number> {
  if (name === '--help' || name === '-h' || name === 'help') return print(help());
  if (name === '--version' || name === '-v') return print(`${(await import('./lib/package.ts')).readVersion()}\n`);
  if (name === undefined) {
    printError(help());
    return 2;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  return command === undefined ? refuseUnknownCommand(name) : command.run(args);
}

/** Waits until output to a pipe has been written, or its reader is gone. */
async function flushOutput(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.stdout.on('error', () => resolve());
  process.stdout.write('', () => resolve());
  await promise;
}

const code = await run(process.argv.slice(2));
await flushOutput();
process.exit(code);
