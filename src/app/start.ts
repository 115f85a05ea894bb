import process from 'node:process';
import { DatabaseError } from '../adapters/store/engine/errors.ts';
import { createLogger, type Logger } from '../adapters/telemetry/log.ts';
import { errorCodeOf } from '../lib/outage.ts';
import { StartupError } from './app-identity.ts';
import { listSecrets, loadConfig } from './config/env.ts';
import type { RunningServer } from './server.ts';

const START_HELP = `Usage: countersign start

Runs the server until SIGTERM or SIGINT. It takes no options: set it up with environment variables
(see docs/configuration.md). Every missing or wrong variable is listed at the start, one a line.
`;

/**
 * The `start` command: runs until SIGTERM or SIGINT. Exit codes: 0 after a stop, 1 if it cannot start, 2 for unknown
 * options.
 */
export async function start(args: readonly string[]): Promise<number> {
  const [option] = args;
  if (option === '--help' || option === '-h') {
    process.stdout.write(START_HELP);
    return 0;
  }
  if (option !== undefined) {
    process.stderr.write(
      `Unknown option ${JSON.stringify(option)}. countersign start is configured through environment variables; see countersign start --help.\n`,
    );
    return 2;
  }
  return runServer();
}

async function runServer(): Promise<number> {
  const loaded = loadConfig();
  if (loaded.kind === 'problems') return printProblems(loaded.problems);
  const { config, warnings } = loaded;
  const log = createLogger({ ...config.log, secrets: listSecrets(config) });
  const signal = waitForStopSignal(log);
  for (const warning of warnings) log.warn({ warning }, 'configuration');
  try {
    // Loaded late, so that a configuration problem is reported before the database and HTTP client load.
    const { startServer } = await import('./server.ts');
    return await serveUntilSignal(await startServer(config, log, { withProcessMetrics: true }), log, signal);
  } catch (error) {
    const message = operatorMessage(error);
    if (message === null) log.error({ err: error }, 'start failed');
    else process.stderr.write(`Countersign cannot start: ${message}\n`);
    return 1;
  }
}

const SETUP_HINTS = [
  'Create a GitHub App with the permissions of app.yml, then set APP_ID, PRIVATE_KEY_PATH and WEBHOOK_SECRET.',
  'Set OPENAI_MODEL and OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own.',
  'Or try everything offline first, without any of it: npm run demo',
];

function printProblems(problems: readonly string[]): number {
  const lines = ['Countersign cannot start:', ...problems.map((problem) => `- ${problem}`), '', ...SETUP_HINTS];
  process.stderr.write(`${lines.join('\n')}\n`);
  return 1;
}

/** The process exits after this time, even if something hangs: results are stored, and platforms kill after 30 s. */
const SHUTDOWN_LIMIT_MS = 24_000;

function waitForStopSignal(log: Logger): Promise<NodeJS.Signals> {
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  const onSignal = (signal: NodeJS.Signals): void => {
    resolve(signal);
    const timer = setTimeout(() => {
      log.warn({}, 'shutdown timed out, work will resume on next start');
      process.exit(0);
    }, SHUTDOWN_LIMIT_MS);
    timer.unref();
  };
  process.once('SIGTERM', onSignal);
  process.once('SIGINT', onSignal);
  return promise;
}

async function serveUntilSignal(server: RunningServer, log: Logger, signal: Promise<NodeJS.Signals>): Promise<number> {
  log.info({ url: server.url }, 'listening');
  log.info({ signal: await signal }, 'stopping');
  await server.stop().catch((error: unknown) => log.error({ err: error }, 'stopping failed'));
  log.info({}, 'stopped');
  return 0;
}

/** A message for errors that the operator can fix; null for internal errors. */
function operatorMessage(error: unknown): string | null {
  if (error instanceof StartupError || error instanceof DatabaseError) return error.message;
  if (!(error instanceof Error)) return null;
  const code = errorCodeOf(error);
  const address = 'address' in error && 'port' in error ? ` ${error.address}:${error.port}` : '';
  if (code === 'EADDRINUSE')
    return `PORT is in use by another process (${address.trim()}). Stop that process or set another PORT.`;
  if (code === 'EACCES')
    return `cannot listen on HOST:PORT${address} (permission denied). Set a PORT from 1024 on, or another HOST.`;
  if (code === 'EADDRNOTAVAIL')
    return `cannot listen on HOST:PORT${address} (this machine does not have the address). Set another HOST.`;
  return null;
}
