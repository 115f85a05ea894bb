import { type DestinationStream, destination, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { REDACTED, redactCredentials } from '../../lib/credentials.ts';

/** The variable part of a log line, including all text from users. */
type LogFields = Readonly<Record<string, unknown>>;

type LogMethod = (fields: LogFields, message: string) => void;

/** Writes one line per event: a constant message, and the variable data as fields. */
export type Logger = {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
};

type LoggerOptions = {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly format: 'json' | 'pretty';
  /** Values that are masked in each line. */
  readonly secrets: readonly string[];
  /** Default: standard output. */
  readonly stream?: DestinationStream;
};

/** Creates the log. It masks secrets in the finished JSON line, so that no field can bypass it. */
export function createLogger(options: LoggerOptions): pino.Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => serializeError(error) },
      hooks: { streamWrite: createRedactor(options.secrets) },
    },
    openStream(options.format, options.stream),
  );
}

/**
 * Creates a function that masks these secrets, as text and as JSON text, and everything that looks like a credential.
 * It ignores secrets below 6 characters, because they would mask ordinary words.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const variants = secrets.filter((secret) => secret.length >= 6).flatMap((secret) => [escapeForJson(secret), secret]);
  return (text) => redactCredentials(variants.reduce((rest, secret) => rest.replaceAll(secret, () => REDACTED), text));
}

function escapeForJson(secret: string): string {
  return JSON.stringify(secret).slice(1, -1);
}

function openStream(format: LoggerOptions['format'], customStream: DestinationStream | undefined): DestinationStream {
  const stream = customStream ?? destination({ dest: 1, sync: true });
  if (format === 'json') return stream;
  const prettify = prettyFactory({ colorize: false, singleLine: true });
  return { write: (line) => stream.write(prettify(line)) };
}

type ErrorFields = {
  readonly type: string;
  readonly message: string;
  readonly stack: string | null;
  readonly cause?: ErrorFields;
};

/**
 * Keeps only name, message, stack and causes. Errors of HTTP libraries contain whole requests with their credentials,
 * and errors of webhook handlers contain the comment's text.
 */
function serializeError(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error), stack: null };
  const fields = { type: error.name, message: error.message, stack: error.stack ?? null };
  return error.cause === undefined || depth > 3 ? fields : { ...fields, cause: serializeError(error.cause, depth + 1) };
}
