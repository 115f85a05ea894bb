import { once } from 'node:events';
import process from 'node:process';
import { DatabaseError } from '../adapters/store/engine/errors.ts';
import { createLogger, type Logger } from '../adapters/telemetry/log.ts';
import { errorCodeOf } from '../lib/outage.ts';
import { StartupError } from './app-identity.ts';
import { type Config, type Environment, listSecrets, loadConfig } from './config/env.ts';
import { holdOperatorSettings, type OperatorSettingsHolder } from './config/operator-settings.ts';
import type { RunningServer } from './server.ts';

const START_HELP = `Usage: countersign start [--poll [INTERVAL]]

Runs the server until SIGTERM or SIGINT. Everything else is set up with environment variables (see
docs/configuration.md). Every missing or wrong variable is listed at the start, one a line.
SIGHUP makes a running server read CONFIG_FILE again.

  --poll [INTERVAL]  hear of events from GitHub's log of deliveries, every 5s or at this interval (5s to 5m): no
                     address that GitHub can reach is needed. The same as POLL
  --help             print this text
`;

const DEFAULT_POLL = '5s';

/**
 * The `start` command: runs until SIGTERM or SIGINT. Exit codes: 0 after a stop, 1 if it cannot start, 2 for unknown
 * options.
 */
export async function start(args: readonly string[]): Promise<number> {
  const [option, interval = DEFAULT_POLL, ...more] = args;
  if (option === '--help' || option === '-h') {
    process.stdout.write(START_HELP);
    return 0;
  }
  if (option === undefined) return runServer({});
  if (option === '--poll' && more.length === 0) return runServer({ POLL: interval });
  const unknown = JSON.stringify(option === '--poll' ? more[0] : option);
  process.stderr.write(
    `Unknown option ${unknown}. countersign start is configured through environment variables; see countersign start --help.\n`,
  );
  return 2;
}

async function runServer(overrides: Environment): Promise<number> {
  const loaded = loadConfig(overrides);
  if (loaded.kind === 'problems') return printProblems(loaded.problems);
  const { config, warnings } = loaded;
  const log = createLogger({ ...config.log, secrets: listSecrets(config) });
  const stopping = stopOnSignal(log);
  const operator = reloadOnSignal(config, log);
  for (const warning of warnings) log.warn({ warning }, 'configuration');
  try {
    // Loaded late, so that a configuration problem is reported before the database and HTTP client load.
    const { startServer } = await import('./server.ts');
    const server = await startServer(config, log, {
      withProcessMetrics: true,
      stopping,
      onStep: showStep,
      operatorSettings: operator.current,
    });
    log.info({ url: server.url }, 'listening');
    return await serveUntilSignal(server, log, stopping);
  } catch (error) {
    if (stopping.aborted) {
      log.info({}, 'stopped');
      return 0;
    }
    const message = operatorMessage(error);
    if (message === null) log.error({ err: error }, 'start failed');
    else process.stderr.write(`Countersign cannot start: ${message}\n`);
    return 1;
  }
}

/** A first start can take a while, and a person who watches sees why. */
function showStep(step: string): void {
  if (process.stdout.isTTY) process.stdout.write(`… ${step}\n`);
}

/** For those who have no GitHub App yet. */
const SETUP_HINTS = [
  'Run countersign setup: it registers a GitHub App in two clicks, and sets APP_ID, PRIVATE_KEY_PATH and WEBHOOK_SECRET.',
  'If you did, start in the folder where it wrote .env.',
  'Set OPENAI_MODEL and OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own.',
  'Or try everything offline first, without any of it: countersign demo (in a checkout: npm run demo)',
];

const LACKS_APP = /^(?:APP_ID|WEBHOOK_SECRET|PRIVATE_KEY or PRIVATE_KEY_PATH) is missing/;

function printProblems(problems: readonly string[]): number {
  const hints = problems.some((problem) => LACKS_APP.test(problem)) ? ['', ...SETUP_HINTS] : [];
  const lines = ['Countersign cannot start:', ...problems.map((problem) => `- ${problem}`), ...hints];
  process.stderr.write(`${lines.join('\n')}\n`);
  return 1;
}

/** The process exits after this time, even if something hangs: results are stored, and platforms kill after 30 s. */
const SHUTDOWN_LIMIT_MS = 24_000;

/** Aborts at the first signal. */
function stopOnSignal(log: Logger): AbortSignal {
  const stopping = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => {
    log.info({ signal }, 'stopping');
    stopping.abort();
    // It keeps the process alive: work that waits for a vanished connection leaves nothing else that does.
    setTimeout(() => {
      log.warn({}, 'shutdown timed out, work will resume on next start');
      process.exit(0);
    }, SHUTDOWN_LIMIT_MS);
  };
  process.once('SIGTERM', onSignal);
  process.once('SIGINT', onSignal);
  return stopping.signal;
}

/** Without a CONFIG_FILE, SIGHUP ends the process as usual. */
function reloadOnSignal({ operator }: Config, log: Logger): OperatorSettingsHolder {
  const holder = holdOperatorSettings(operator, log);
  if (operator.path !== null) process.on('SIGHUP', holder.reload);
  return holder;
}

async function serveUntilSignal(server: RunningServer, log: Logger, stopping: AbortSignal): Promise<number> {
  if (!stopping.aborted) await once(stopping, 'abort');
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
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `HOST is no address of this machine, and no name of one (${error.message}). Set it to 0.0.0.0, ::, or an address of this machine.`;
  if (code === 'EADDRNOTAVAIL')
    return `cannot listen on HOST:PORT${address} (this machine does not have the address). Set another HOST.`;
  return null;
}
