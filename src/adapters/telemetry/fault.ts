import type { LogFields, Logger } from './log.ts';

/** A fault that lasts, such as an outage. It is logged when it begins, once a minute while it lasts, and when it ends. */
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

const REPEAT_INTERVAL_MS = 60_000;

/**
 * Creates the log of one fault. A fault that comes and goes gets at most one line a minute, too. Later lines have
 * `repeated`, the failures since the line before, and, if the end is logged, `ms`: the time since the fault began.
 */
export function createFault({ level, message, endMessage, now = monotonicNow }: FaultOptions): Fault {
  let begun: { readonly at: number; logged: boolean } | null = null;
  let [loggedAt, repeated] = [Number.NEGATIVE_INFINITY, 0];
  return {
    failed(log, error, fields = {}) {
      const time = now();
      begun ??= { at: time, logged: false };
      if (time - loggedAt < REPEAT_INTERVAL_MS) {
        repeated += 1;
        return;
      }
      const lasts = begun.logged && endMessage !== undefined ? { ms: Math.round(time - begun.at) } : {};
      const history = { ...lasts, ...(repeated > 0 ? { repeated } : {}) };
      log[level]({ ...fields, ...history, err: error }, message);
      begun.logged = true;
      [loggedAt, repeated] = [time, 0];
    },
    ended(log) {
      if (begun?.logged === true && endMessage !== undefined)
        log.info({ ms: Math.round(now() - begun.at) }, endMessage);
      begun = null;
    },
  };
}

function monotonicNow(): number {
  return performance.now();
}
