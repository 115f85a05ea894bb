import process from 'node:process';
import { loadConfig } from './config/load-config.ts';
import { secretsOf } from './config/secrets.ts';
import type { RunningServer } from './main.ts';
import { StartRefused } from './start-refused.ts';
import { StoreUnusable } from './store/store-unusable.ts';
import { type Log, openLog } from './telemetry/log.ts';

/** After this long the process ends, whatever hangs: what counts is stored, and platforms kill after 30 s. */
const HARD_LIMIT_MS = 24_000;

const WHAT_TO_DO = [
  'Create a GitHub App with the permissions of app.yml, then set APP_ID, PRIVATE_KEY_PATH and WEBHOOK_SECRET.',
  'Set OPENAI_MODEL and OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own.',
  'Or see everything without any of it, offline: npm run demo',
];

function refuse(problems: readonly string[]): number {
  const lines = ['Countersign cannot start:', ...problems.map((problem) => `- ${problem}`), '', ...WHAT_TO_DO];
  process.stderr.write(`${lines.join('\n')}\n`);
  return 1;
}

/** What the operator can mend, in words; null for mistakes of ours. */
function explain(error: unknown): string | null {
  if (error instanceof StartRefused || error instanceof StoreUnusable) return error.message;
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'EADDRINUSE') return 'PORT is taken by another process: stop it or set another one.';
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') return 'HOST and PORT cannot be listened on: set others.';
  return null;
}

function stopSignal(log: Log): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const take = (signal: NodeJS.Signals): void => {
    resolve(signal);
    const limit = setTimeout(() => {
      log.warn({}, 'stopped in the middle of something; it goes on at the next start');
      process.exit(0);
    }, HARD_LIMIT_MS);
    limit.unref();
  };
  process.once('SIGTERM', take);
  process.once('SIGINT', take);
  return promise;
}

async function serveUntilSignal(server: RunningServer, log: Log, signal: Promise<NodeJS.Signals>): Promise<number> {
  log.info({ url: server.url }, 'listening');
  log.info({ signal: await signal }, 'stopping');
  await server.stop().catch((error: unknown) => log.error({ err: error }, 'stopping failed'));
  log.info({}, 'stopped');
  return 0;
}

const HELP = `Usage: countersign start

Runs the server until SIGTERM or SIGINT. It takes no options: everything is set by environment variables,
which docs/configuration.md lists. What is missing or wrong is said at the start, a line each.
`;

/** The `start` command: runs until SIGTERM or SIGINT. Ends with 0 after a stop, 1 where it could not start, 2 for options. */
export async function start(args: readonly string[]): Promise<number> {
  const [option] = args;
  if (option === '--help' || option === '-h') {
    process.stdout.write(HELP);
    return 0;
  }
  if (option !== undefined) {
    process.stderr.write(
      `countersign start takes no options, so not ${JSON.stringify(option)}. See countersign start --help.\n`,
    );
    return 2;
  }
  return serve();
}

async function serve(): Promise<number> {
  const reading = loadConfig();
  if (reading.kind === 'problems') return refuse(reading.problems);
  const { config, warnings } = reading;
  const log = openLog({ ...config.log, secrets: secretsOf(config) });
  const signal = stopSignal(log);
  for (const warning of warnings) log.warn({ warning }, 'configuration');
  try {
    // Loaded only now: a refusal should not wait for a database and an HTTP client to load.
    const { startServer } = await import('./main.ts');
    return await serveUntilSignal(await startServer(config, log), log, signal);
  } catch (error) {
    const words = explain(error);
    if (words === null) log.error({ err: error }, 'start failed');
    else process.stderr.write(`Countersign cannot start: ${words}\n`);
    return 1;
  }
}
