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

/**
 * A fault that lasts, such as an outage. It is logged when it begins, once a minute while it lasts, and when it ends.
 */
export type Fault = {
  /** The fault began, or is still there. */
  failed(log: Logger, error: unknown, fields?: LogFields): void;
  /** The fault is over. Does nothing if no line has told of it. */
  ended(log: Logger): void;
};

type FaultOptions = {
  readonly level: 'warn' | 'error';
  readonly message: string;
  /** The message of the end; without it, the end is not logged. */
  readonly endMessage?: string;
  /** A clock in ms. */
  readonly now?: () => number;
};

/**
 * Creates the log of one fault. A fault that comes and goes gets at most one line a minute, too. Later lines have
 * `repeated`, the failures since the line before, and, if the end is logged, `ms`: the time since the fault began.
 */
export function createFault({ level, message, endMessage, now = () => performance.now() }: FaultOptions): Fault {
  let begun: { readonly at: number; logged: boolean } | null = null;
  const throttle = createThrottle<'fault'>(now);
  return {
    failed(log, error, fields = {}) {
      const time = now();
      begun ??= { at: time, logged: false };
      const allowed = throttle('fault');
      if (allowed === null) return;
      const lasts = begun.logged && endMessage !== undefined ? { ms: Math.round(time - begun.at) } : {};
      const history = { ...lasts, ...(allowed.suppressed > 0 ? { repeated: allowed.suppressed } : {}) };
      log[level]({ ...fields, ...history, err: error }, message);
      begun.logged = true;
    },
    ended(log) {
      if (begun?.logged === true && endMessage !== undefined)
        log.info({ ms: Math.round(now() - begun.at) }, endMessage);
      begun = null;
    },
  };
}

/** Allows a line of this kind, with the number of lines suppressed since the last one; null while it is too early. */
type Throttle<Kind extends string> = (kind: Kind) => { readonly suppressed: number } | null;

const INTERVAL_MS = 60_000;

/** Creates a throttle for one line a minute of each kind. Kinds come from closed lists, so its memory is bounded. */
export function createThrottle<Kind extends string>(now: () => number): Throttle<Kind> {
  const kinds = new Map<Kind, { readonly loggedAt: number; suppressed: number }>();
  return (kind) => {
    const last = kinds.get(kind);
    if (last !== undefined && now() - last.loggedAt < INTERVAL_MS) {
      last.suppressed += 1;
      return null;
    }
    kinds.set(kind, { loggedAt: now(), suppressed: 0 });
    return { suppressed: last?.suppressed ?? 0 };
  };
}
