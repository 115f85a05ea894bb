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
