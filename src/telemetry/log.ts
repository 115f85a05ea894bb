import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { redactor } from './redact.ts';

/** Values of one event. Whatever strangers wrote belongs here, never into the message. */
export type Fields = Readonly<Record<string, unknown>>;
type Write = (fields: Fields, message: string) => void;

/** One line for each event: a fixed message, and what varies as fields. */
export type Log = { readonly debug: Write; readonly info: Write; readonly warn: Write; readonly error: Write };

export type LogOptions = {
  readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly format: 'json' | 'pretty';
  /** Values that must never be written. */
  readonly secrets: readonly string[];
  /** Where lines go; standard output by default. */
  readonly stream?: DestinationStream;
};

type ErrorFields = {
  readonly type: string;
  readonly message: string;
  readonly stack: string | null;
  readonly cause?: ErrorFields;
};

/**
 * Name, message, stack and causes, and nothing else: errors of HTTP libraries carry whole requests
 * with their authorization, errors of webhook handlers the comment's text.
 */
function serializeError(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error), stack: null };
  const fields = { type: error.name, message: error.message, stack: error.stack ?? null };
  return error.cause === undefined || depth > 3 ? fields : { ...fields, cause: serializeError(error.cause, depth + 1) };
}

function open(format: LogOptions['format'], given: DestinationStream | undefined): DestinationStream {
  const stream = given ?? destination({ dest: 1, sync: true });
  if (format === 'json') return stream;
  const prettify = prettyFactory({ colorize: false, singleLine: true });
  return { write: (line) => stream.write(prettify(line)) };
}

/** Opens the log. Every line is redacted as a whole, after it was written as JSON, so nothing slips past a field. */
export function openLog(options: LogOptions): Logger {
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => serializeError(error) },
      hooks: { streamWrite: redactor(options.secrets) },
    },
    open(options.format, options.stream),
  );
}
