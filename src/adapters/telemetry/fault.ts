import type { LogFields, Logger } from './log.ts';

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
