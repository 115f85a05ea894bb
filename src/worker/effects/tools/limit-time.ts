import { type Offload, OffloadError } from '../../offload/offload.ts';

/**
 * Runs computations until they have taken `maxMs` together, and rejects later ones with `OffloadError`: fifty hostile
 * calls would otherwise hold the offload thread, which all pull requests share, for minutes.
 */
export function limitTime(offload: Offload, maxMs: number, now: () => number): Offload {
  let spent = 0;
  return async (name, input) => {
    if (spent >= maxMs) throw new OffloadError('timeout', `${name} and others took longer than ${maxMs} ms`);
    const started = now();
    try {
      return await offload(name, input);
    } finally {
      spent += now() - started;
    }
  };
}

/** Time for all searches with patterns and all outlines of one response (ms). Usual ones take a hundredth of it. */
const MAX_READING_MS = 60_000;

/** For what a pattern or any text can make slow, within a time for all calls of a response. */
export function limitReading(offload: Offload, now: () => number): Offload {
  return limitTime(offload, MAX_READING_MS, now);
}
