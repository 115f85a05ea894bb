/** The one source of chance of a case: the same seed gives the same choices in the same order. */
export type Chance = {
  /** From 0 up to 1. */
  readonly part: () => number;
  /** From 0 to `below` - 1. */
  readonly whole: (below: number) => number;
  /** From `from` up to `to`. */
  readonly between: (from: number, to: number) => number;
  readonly happens: (probability: number) => boolean;
  /** Throws on an empty list. */
  readonly pick: <Value>(values: readonly Value[]) => Value;
};

/** Chance that is settled by a seed; any whole number will do. */
export function openChance(seed: number): Chance {
  const part = generator(seed);
  const whole = (below: number): number => Math.floor(part() * below);
  return {
    part,
    whole,
    between: (from, to) => from + part() * (to - from),
    happens: (probability) => part() < probability,
    pick(values) {
      const [value] = values.slice(whole(values.length));
      if (value === undefined) throw new Error('There is nothing to pick from');
      return value;
    },
  };
}

/** Three words of state and a counter (the generator that is known as sfc32): quick, and good enough to choose by. */
function generator(seed: number): () => number {
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
