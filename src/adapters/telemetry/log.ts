import { type DestinationStream, destination, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { ModelError } from '../../core/step/model-port.ts';
import { GitHubError } from '../../core/step/ports.ts';
import { REDACTED, redact } from '../../lib/credentials.ts';
import { isOutage, KnownFaultError } from '../../lib/outage.ts';

/** The variable part of a log line, including all text from users. */
export type LogFields = Readonly<Record<string, unknown>>;

type LogMethod = (fields: LogFields, message: string) => void;

/** Writes one line per event: a constant message, and the variable data as fields. */
export type Logger = {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** A log that adds these fields to each of its lines. */
  child(fields: LogFields): Logger;
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
  const redactSecrets = createRedactor(options.secrets);
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => serializeError(error) },
      hooks: { streamWrite: (line) => escapeControls(redactSecrets(line)) },
    },
    openStream(options.format, options.stream),
  );
}

/**
 * Creates a function that masks these secrets, as text and as JSON text, and everything that looks like a credential.
 * It ignores secrets below 6 characters, because they would mask ordinary words.
 */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  const variants = secrets
    .filter((secret) => secret.length >= 6)
    .flatMap((secret) => [JSON.stringify(secret).slice(1, -1), secret]);
  return (text) => redact(variants.reduce((rest, secret) => rest.replaceAll(secret, () => REDACTED), text));
}

/** C1 controls too, and characters that reorder text or look like a line's end: JSON leaves them as they are. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Writes what a terminal would obey as JSON does, so that text of others can neither color, hide nor forge a line. */
function escapeControls(line: string): string {
  return line.replace(CONTROLS, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function openStream(format: LoggerOptions['format'], customStream: DestinationStream | undefined): DestinationStream {
  const stream = customStream ?? destination({ dest: 1, sync: true });
  if (format === 'json') return stream;
  const prettify = prettyFactory({ colorize: false, singleLine: true });
  // It reads the JSON, so the controls are back.
  return { write: (line) => stream.write(escapeControls(prettify(line))) };
}

type ErrorFields = {
  readonly type: string;
  readonly message: string;
  /** Absent for known faults, whose place in our code explains nothing; null if an unknown error has none. */
  readonly stack?: string | null;
  /** GitHub's `x-github-request-id`, which its support asks for. */
  readonly requestId?: string;
  readonly cause?: ErrorFields;
};

/** Whether GitHub, the model, the database or the setup failed, and not our code. */
export function isKnownFault(error: unknown): boolean {
  const isNamed = error instanceof GitHubError || error instanceof ModelError || error instanceof KnownFaultError;
  return isNamed || isOutage(error);
}

/**
 * Keeps only name, message, stack and causes. Errors of HTTP libraries contain whole requests with their credentials,
 * and errors of webhook handlers contain the comment's text.
 */
function serializeError(error: unknown, depth = 0, isKnown = isKnownFault(error)): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error), ...(isKnown ? {} : NO_STACK) };
  const fields = {
    type: error.name,
    message: error.message,
    ...(isKnown ? {} : { stack: error.stack ?? null }),
    ...(error instanceof GitHubError && error.requestId !== null ? { requestId: error.requestId } : {}),
  };
  if (error.cause === undefined || depth > 3) return fields;
  return { ...fields, cause: serializeError(error.cause, depth + 1, isKnown) };
}

const NO_STACK = { stack: null };
