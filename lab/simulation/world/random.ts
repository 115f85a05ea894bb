/** A seeded random number generator. */
export type Random = {
  /** In [0, 1). */
  readonly float: () => number;
  /** In [0, `below`). */
  readonly integer: (below: number) => number;
  /** In [`from`, `to`). */
  readonly between: (from: number, to: number) => number;
  readonly chance: (probability: number) => boolean;
  /** Throws on an empty list. */
  readonly pick: <Value>(values: readonly Value[]) => Value;
};

/** Equal seeds give equal sequences. The seed can be any integer. */
export function createRandom(seed: number): Random {
  const float = sfc32(seed);
  const integer = (below: number): number => Math.floor(float() * below);
  return {
    float,
    integer,
    between: (from, to) => from + float() * (to - from),
    chance: (probability) => float() < probability,
    pick(values) {
      const start = integer(values.length);
      // The value itself can be undefined.
      for (const value of values.slice(start, start + 1)) return value;
      throw new Error('The list is empty');
    },
  };
}

/** The generator sfc32: fast, with three words of state and a counter. Not for cryptography. */
function sfc32(seed: number): () => number {
  let [a, b, c, counter] = [seed | 0, Math.floor(seed / 2 ** 32) | 0, 0x5eed, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round += 1) next();
  return next;
}
