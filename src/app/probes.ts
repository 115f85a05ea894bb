import { isDeepStrictEqual } from 'node:util';
import type { Store } from '../adapters/store/store.ts';
import { createFault, type Logger } from '../adapters/telemetry/log.ts';
import { type Clock, GitHubError } from '../core/step/ports.ts';
import { delay } from '../lib/delay.ts';

/**
 * One thing that a probe found: in order, or works with less, or wrong. All other fields are logged with it, and the
 * message never changes.
 */
export type Finding = {
  readonly level: 'ok' | 'less' | 'wrong';
  readonly message: string;
  /** What the operator does; null if nothing is to do. */
  readonly fix: string | null;
  readonly [field: string]: unknown;
};

/** How a finding begins, for people. */
export const MARKS: Readonly<Record<Finding['level'], string>> = { ok: '✓', less: '⚠', wrong: '✗' };

/** A look at one thing that the server needs. `run` throws if it cannot look now, and ends early with the server. */
export type Probe = { readonly name: string; readonly run: (stopping: AbortSignal) => Promise<readonly Finding[]> };

/** Runs the probes at the start and every hour, and logs what they find. */
export type ProbeLoop = {
  /** True while a probe runs. */
  isBusy(): boolean;
  /** What each probe found last; null for one that has not looked yet. */
  latest(): readonly { readonly name: string; readonly findings: readonly Finding[] | null }[];
  /** Starts no more probes and waits up to `graceMs` for those that run. */
  stop(graceMs: number): Promise<void>;
};

const TICK_MS = 60_000;

const INTERVAL_MS = 3_600_000;

/** Pause after a probe that could not look. */
const RETRY_AFTER_MS = 5 * 60_000;

type ProbeOptions = { readonly clock: Clock; readonly log: Pick<Logger, 'info' | 'warn'> };

/** Starts the first round at once. A probe never fails the server: there is another round later. */
export function startProbes(probes: readonly Probe[], { clock, log }: ProbeOptions): ProbeLoop {
  const dueAt = new Map(probes.map(({ name }) => [name, clock.now()]));
  const running = new Map<string, Promise<void>>();
  const found = new Map<string, readonly Finding[]>();
  const stopping = new AbortController();

  async function look({ name, run }: Probe): Promise<void> {
    try {
      const findings = await run(stopping.signal);
      dueAt.set(name, clock.now() + INTERVAL_MS);
      if (stopping.signal.aborted) return;
      for (const finding of findings) if (isNews(finding, found.get(name))) write(finding);
      found.set(name, findings);
    } catch (error) {
      const retryAt = error instanceof GitHubError ? (error.retryAt ?? 0) : 0;
      dueAt.set(name, Math.max(clock.now() + RETRY_AFTER_MS, retryAt));
      const cause = error instanceof GitHubError ? { error: error.message } : { err: error };
      if (!stopping.signal.aborted) log.warn({ probe: name, ...cause }, 'could not check, will retry');
    }
  }

  function write({ level, message, fix, ...fields }: Finding): void {
    if (level === 'ok') log.info(fields, message);
    else log.warn({ ...fields, fix }, message);
  }

  const tick = (): void => {
    for (const probe of stopping.signal.aborted ? [] : probes) {
      const { name } = probe;
      if (running.has(name) || clock.now() < (dueAt.get(name) ?? 0)) continue;
      running.set(
        name,
        look(probe).finally(() => running.delete(name)),
      );
    }
  };
  const stopTicking = clock.every(TICK_MS, tick);
  tick();
  return {
    isBusy: () => running.size > 0,
    latest: () => probes.map(({ name }) => ({ name, findings: found.get(name) ?? null })),
    async stop(graceMs) {
      stopping.abort();
      stopTicking();
      if (running.size > 0) await Promise.race([Promise.all(running.values()), delay(graceMs)]);
    },
  };
}

/** What is wrong is said at each look; the rest once, until it changes. */
function isNews(finding: Finding, before: readonly Finding[] = []): boolean {
  return finding.level === 'wrong' || !before.some((earlier) => isDeepStrictEqual(earlier, finding));
}

type StorageOptions = {
  readonly store: Pick<Store, 'rehearseReceive'>;
  readonly log: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
};

/**
 * Returns the check whether a delivery can be stored now, which rejects with the reason if not. It rehearses a whole
 * delivery, because a small write can succeed on a disk that is too full for one.
 */
export function createStorageCheck({ store, log, now }: StorageOptions): () => Promise<void> {
  const fault = createFault({
    level: 'error',
    message: 'database cannot store',
    endMessage: 'database can store again',
  });
  let running: Promise<void> | null = null;

  async function rehearse(): Promise<void> {
    try {
      await store.rehearseReceive(now());
      fault.ended(log);
    } catch (error) {
      fault.failed(log, error);
      throw error;
    }
  }

  // One rehearsal at a time, however many ask for it.
  return () => {
    running ??= rehearse().finally(() => {
      running = null;
    });
    return running;
  };
}
